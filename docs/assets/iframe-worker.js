// SPDX-License-Identifier: Apache-2.0
// Browsers start no workers from files, so where the site is opened without a server its search runs in a frame instead.
class IFrameWorker extends EventTarget {
    constructor(url) {
        super();
        this.frame = document.createElement("iframe");
        this.frame.hidden = true;
        document.body.appendChild(this.frame);
        const inner = this.frame.contentWindow;
        inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        inner.importScripts = (...urls) => urls.flat().reduce((before, each) => before.then(() => this.load(each)), Promise.resolve());
        this.ready = this.load(url);
        this.ready.catch((error) => this.dispatchEvent(new ErrorEvent("error", { error })));
    }

    load(url) {
        const document = this.frame.contentDocument;
        return new Promise((done, failed) => {
            const script = document.createElement("script");
            script.src = url;
            script.onload = done;
            script.onerror = failed;
            document.body.appendChild(script);
        });
    }

    postMessage(data) {
        this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
        this.frame.remove();
    }
}

if (location.protocol === "file:") {
    window.IFrameWorker = IFrameWorker;
    window.Worker = IFrameWorker;
}
