# SPDX-License-Identifier: Apache-2.0
"""Texts at the limits of the kernel compiler. Each row: a name, a function from a size to a text, the sizes, and the
message for the last size. Empty: the text is accepted, at least by the check."""


def kernel(body):
    return "__kernel void k(__global int* g, int n) {" + body + "}\n"


def each(count, make):
    return "".join(make(i) for i in range(count))


def nested(before, middle, after):
    return lambda n: kernel("g[0] = " + before * n + middle + after * n + ";")


def chain(link):
    return lambda n: kernel("g[0] = n" + link * n + ";")


def prefix(link):
    return lambda n: kernel("g[0] = " + link * n + "n;")


def functions(first, make, last):
    """`first` is f0, each later function is made from its number, and `last` is the body of the kernel."""
    return lambda n: first + each(n, lambda i: make(i) + "\n") + kernel(last(n))


def calls_two(types, arguments):
    def make(i):
        call = f"f{i}({arguments})"
        return f"int f{i + 1}({types}) {{ return {call} + {call}; }}"
    return make


NESTS = "the text nests more than 1000 levels deep"
DEEP = "the expression is more than 4000 operations deep"
TOKENS = "more than 8000000 tokens when its macros are expanded, which is the limit"

TEXTS = [
    ("parentheses", nested("(", "n", ")"), (400, 100_000), NESTS),
    ("calls", nested("max(1, ", "n", ")"), (300, 10_000), NESTS),
    ("indices", nested("g[", "n", "]"), (300, 10_000), NESTS),
    ("statement expressions", nested("({", "n;", "});"), (200, 10_000), NESTS),
    ("casts", prefix("(int)"), (900, 100_000), NESTS),
    ("signs", prefix("-~"), (450, 100_000), NESTS),
    ("conditional expressions", prefix("n == 3 ? 1 : "), (900, 100_000), NESTS),
    ("assignments", lambda n: kernel("int a; g[0] = " + "a = " * n + "n;"), (900, 100_000), NESTS),
    ("sums", chain(" + n"), (3_900, 100_000), DEEP),
    ("conditions", chain(" && n != 3"), (3_900, 100_000), DEEP),
    ("swizzles", lambda n: kernel("int4 v = n; v = v" + ".wzyx" * n + "; g[0] = v.x;"), (3_900, 100_000), ""),
    ("blocks", lambda n: kernel("{" * n + "g[0] = n;" + "}" * n), (450, 100_000), NESTS),
    ("ifs", lambda n: kernel("if (n) " * n + "g[0] = n;"), (450, 100_000), NESTS),
    ("else ifs", lambda n: kernel("if (n == 1) g[0] = 1; else " * n + "g[0] = n;"), (450, 100_000), NESTS),
    ("loops", lambda n: kernel("for (int i = 0; i < n; ++i) " * n + "++g[0];"), (190, 10_000), NESTS),
    ("loops with barriers", lambda n: kernel(
        "for (int i = 0; i < n; ++i) { ++g[0]; barrier(1);" * n + "}" * n), (190,), ""),
    ("ifs with barriers", lambda n: kernel("if (n > 3) { ++g[0]; barrier(1);" * n + "}" * n), (190,), ""),
    ("returns before barriers", lambda n: kernel(each(n, lambda i: f"if (n == {i}) return; barrier(1);")), (1_300,), ""),
    ("barriers", lambda n: kernel(each(n, lambda i: f"int v{i} = g[{i}]; barrier(1); g[0] += v{i // 2};")), (1_300,), ""),
    ("labels", lambda n: kernel(each(n, lambda i: f"l{i}: if (n == {i}) goto l{i * 7 % n}; g[{i}] = n--;\n")),
     (199, 20_000), ""),
    ("labels with barriers", lambda n: kernel(
        each(n, lambda i: f"l{i}: if (n == {i}) goto l{i * 7 % n}; barrier(1); g[{i}] = n--;\n")), (199, 1_000), ""),
    ("cases", lambda n: kernel("switch (n) {" + each(n, lambda i: f"case {i * 3}: g[{i}] = {i}; break;\n") + "}"),
     (50_000,), ""),
    ("ranges of cases", lambda n: kernel(
        "switch (n) {" + each(n, lambda i: f"case {i * 1000} ... {i * 1000 + 900}: g[{i}] = {i}; break;\n") + "}"),
     (5_000,), ""),
    ("initialiser", lambda n: "__constant int t[] = {" + each(n, lambda i: f"{i},") + "};\n" + kernel("g[0] = t[n];"),
     (60_000, 500_000), ""),
    ("dimensions", lambda n: "__constant int t" + "[1]" * n + " = {1};\n" + kernel("g[0] = t" + "[0]" * n + ";"),
     (900,), ""),
    ("members", lambda n: "struct s {" + each(n, lambda i: f"int m{i};") + "};\n" + kernel(
        "struct s v;" + each(n, lambda i: f"v.m{i} = n;") + "g[0] = v.m1;"), (50_000,), ""),
    ("unnamed structs", lambda n: "struct s {" + "struct {" * n + "int m;" + "};" * n + "};\n" + kernel(
        "struct s v; v.m = n; g[0] = v.m;"), (63, 64), "unnamed structs and unions are 64 within one another; the limit is 63"),
    ("structs of structs", lambda n: "struct s0 { char m; };\n" + each(
        n, lambda i: f"struct s{i + 1} {{ struct s{i} a, b; }};\n") +
     f"__kernel void k(__global struct s{n}* p) {{ struct s{n} v = p[1]; p[0] = v; }}\n", (12, 20, 39), ""),
    ("functions", functions("", lambda i: f"int f{i}(int a) {{ int4 v = (int4)(a); return v.x; }}",
                            lambda n: each(n, lambda i: f"g[{i}] = f{i}(n);\n")), (10_000,), ""),
    ("function types", functions("", lambda i: f"struct s{i} {{ int m; }}; int f{i}(struct s{i} a) {{ return a.m; }}",
                                 lambda n: "g[0] = n;"), (10_000,), ""),
    ("chain of calls", functions("int f0(int a) { return a; }\n", lambda i: f"int f{i + 1}(int a) {{ return f{i}(a); }}",
                                 lambda n: f"g[0] = f{n}(n);"), (120, 50_000), ""),
    ("calls of two", functions("int f0(int a) { return a; }\n", calls_two("int a", "a"), lambda n: f"g[0] = f{n}(n);"),
     (120, 10_000), ""),
    ("calls of all", functions("", lambda i: f"int f{i}(int a) {{ return a" + each(i, lambda j: f" + f{j}(a)") + "; }",
                               lambda n: f"g[0] = f{n - 1}(n);"), (100, 300), ""),
    ("calls with pointers", functions(
        "int f0(int* a, int* b) { return *a + *b; }\n",
        lambda i: f"int f{i + 1}(int* a, int* b) {{ int c, d; return f{i}(a, &c) + f{i}(&d, b) + f{i}(&c, &d); }}",
        lambda n: f"int a = n, b = 1; g[0] = f{n}(&a, &b);"), (8, 60), ""),
    ("calls with barriers", functions(
        "void f0(__local int* a) { barrier(1); a[0] = 1; }\n",
        lambda i: f"void f{i + 1}(__local int* a) {{ f{i}(a); f{i}(a + 1); }}",
        lambda n: f"__local int t[9]; f{n}(t); g[0] = t[0];"), (9, 60), ""),
    ("kernels", lambda n: each(n, lambda i: f"__kernel void k{i}(__global int* g) {{ g[0] = {i}; }}\n"), (1_000,), ""),
    ("pointers to constants", lambda n: each(n, lambda i: f"__constant int c{i} = {i};\n") +
     "__constant int* __constant t[] = {" + each(n, lambda i: f"&c{i},") + "};\n" + kernel("g[0] = *t[n];"),
     (250, 2_000), ""),
    ("parameters", lambda n: "int f(" + ",".join(f"int a{i}" for i in range(n)) + ") { return a0; }\n" + kernel(
        "g[0] = f(" + ",".join("n" * n) + ");"), (10_000,), ""),
    ("variables", lambda n: kernel(each(n, lambda i: f"int v{i} = n + {i};\n") + "g[0] = v1;"), (50_000,), ""),
    ("one line", lambda n: kernel(each(n, lambda i: f"g[{i}] += n;")), (100_000,), ""),
    ("errors in one line", lambda n: kernel(each(n, lambda i: f"g[{i}] = u{i};")), (100_000,), "no variable 'u0'"),
    ("name", lambda n: kernel("int " + "a" * n + " = n; g[0] = " + "a" * n + ";"), (1_000_000,), ""),
    ("enumerators", lambda n: "enum { E0" + each(n, lambda i: f", E{i + 1} = E{i} + 1") + "};\n" + kernel("g[0] = E1;"),
     (100_000,), ""),
    ("macros that double", lambda n: "#define A0 g[0]++;\n" + each(n, lambda i: f"#define A{i + 1} A{i} A{i}\n") + kernel(
        f"A{n}"), (16, 60), TOKENS),
    ("macro arguments", lambda n: "#define f(x) x\n" + kernel("g[0] = " + "f(" * n + "n" + ")" * n + ";"), (190, 10_000),
     "200 deep, which is the limit"),
    ("macro chain", lambda n: each(n, lambda i: f"#define C{i} C{i + 1}\n") + f"#define C{n} 3\n" + kernel("g[0] = C0;"),
     (100_000,), ""),
    ("#if", lambda n: "#if 1\n" * n + "#endif\n" * n + kernel("g[0] = n;"), (100_000,), ""),
    ("#if with parentheses", lambda n: "#if " + "(" * n + "1" + ")" * n + "\n#endif\n" + kernel("g[0] = n;"),
     (190, 100_000), "200 levels deep, which is the limit"),
    ("file that includes itself", lambda n: '#include __FILE__\n' * n + kernel("g[0] = n;"), (2,),
     "200 deep, which is the limit"),
    ("brackets without an end", lambda n: kernel("g[0] = " + "(" * n), (100_000,), NESTS),
    ("blocks without an end", lambda n: "__kernel void k(__global int* g) " + "{ if (1) " * n, (100_000,), NESTS),
]
