/* SPDX-License-Identifier: Apache-2.0 */
/* The C API behind the macros of curses, Xlib and windows.h. */
#define Bool int
#define Status int
#define None 0L
#define Success 0
#define near
#define far
#define small char
#define interface struct
#define ERROR 0
#define IN
#define OUT
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define move(y, x) wmove(stdscr, y, x)
#define clear() wclear(stdscr)
#define erase() werase(stdscr)
#define refresh() wrefresh(stdscr)
#define timeout(delay) wtimeout(stdscr, delay)
#define box(win, v, h) wborder(win, v, h)
#define filter() nofilter()
#define OK (0)
#define ERR (-1)
#include <ferry/ferry.h>
