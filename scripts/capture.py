#!/usr/bin/env python3
"""Pictures of a program in a terminal: runs it in a pseudo-terminal, plays keys, and draws what is on the screen.

    python3 -m venv .deps/capture && .deps/capture/bin/pip install pyte==0.8.2 pillow==11.0.0
    .deps/capture/bin/python scripts/capture.py OUT.png [--size 90x16] [--step STEP]... -- COMMAND...

Steps, in order: `wait=TEXT` until the text is on the screen, `gone=TEXT` until it is not, `type=TEXT` (with \\r, \\x03
and so on), `seconds=N`, `shot=CAPTION` for a picture; several are put one below the other. The font is
DejaVu Sans Mono.
"""
import argparse
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

import pyte
from PIL import Image, ImageDraw, ImageFont

FONTS = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono"
BACKGROUND, FOREGROUND, FRAME = "#1d2021", "#ebdbb2", "#928374"
COLOURS = {
    "black": "#282828", "red": "#fb4934", "green": "#b8bb26", "brown": "#fabd2f", "yellow": "#fabd2f",
    "blue": "#83a598", "magenta": "#d3869b", "cyan": "#8ec07c", "white": "#d5c4a1", "brightblack": "#928374",
}


class Screen(pyte.Screen):
    """Leaves out what programs ask of a terminal's keyboard in the form of a colour (`CSI > 4 ; 2 m`)."""

    def select_graphic_rendition(self, *attributes, private=False):
        if not private:
            super().select_graphic_rendition(*attributes)


class Terminal:
    def __init__(self, command, columns, rows):
        self.screen = Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.process, self.master = pty.fork()
        if self.process == 0:
            os.environ["TERM"] = "xterm-256color"
            os.execvp(command[0], command)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds):
        """Takes what the program writes; False when it has ended."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.stream.feed(data)
        return bool(data)

    def text(self):
        return "\n".join(self.screen.display)

    def until(self, condition, what, patience=60):
        deadline = time.monotonic() + patience
        while not condition():
            if time.monotonic() > deadline:
                sys.exit(f"waited {patience} s for {what}; the screen:\n{self.text()}")
            if not self.read(0.02) and not condition():
                sys.exit(f"the program ended before {what}; the screen:\n{self.text()}")


def colour(name, default):
    if name == "default":
        return default
    return COLOURS.get(name) or (f"#{name}" if len(name) == 6 else default)


def draw(screen, caption, size=16):
    regular, bold = (ImageFont.truetype(f"{FONTS}{kind}.ttf", size) for kind in ("", "-Bold"))
    width, height = round(regular.getlength("M")), round(size * 1.3)
    margin, head = 12, height + 10
    image = Image.new("RGB", (screen.columns * width + 2 * margin, screen.lines * height + head + margin), BACKGROUND)
    pen = ImageDraw.Draw(image)
    pen.text((margin, 6), caption, font=regular, fill=FRAME)
    pen.line((0, head - 4, image.width, head - 4), fill=FRAME)
    for row in range(screen.lines):
        for column in range(screen.columns):
            cell = screen.buffer[row][column]
            front, back = colour(cell.fg, FOREGROUND), colour(cell.bg, BACKGROUND)
            if cell.reverse:
                front, back = back, front
            if (row, column) == (screen.cursor.y, screen.cursor.x) and not screen.cursor.hidden:
                front, back = BACKGROUND, FOREGROUND
            x, y = margin + column * width, head + row * height
            if back != BACKGROUND:
                pen.rectangle((x, y, x + width - 1, y + height - 1), fill=back)
            if cell.data.strip():
                pen.text((x, y), cell.data, font=bold if cell.bold else regular, fill=front)
            if cell.underscore:
                pen.line((x, y + height - 2, x + width - 1, y + height - 2), fill=front)
    return image


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("output")
    parser.add_argument("--size", default="90x16")
    parser.add_argument("--step", action="append", default=[])
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    columns, rows = (int(part) for part in options.size.split("x"))
    terminal = Terminal(options.command, columns, rows)
    images = []
    for step in options.step:
        kind, _, value = step.partition("=")
        if kind == "wait":
            terminal.until(lambda: value in terminal.text(), f"“{value}”")
        elif kind == "gone":
            terminal.until(lambda: value not in terminal.text(), f"the end of “{value}”")
        elif kind == "type":
            os.write(terminal.master, value.encode().decode("unicode_escape").encode("latin-1"))
        elif kind == "seconds":
            end = time.monotonic() + float(value)
            while time.monotonic() < end and terminal.read(0.02):
                pass
        elif kind == "shot":
            images.append(draw(terminal.screen, value))
        else:
            sys.exit(f"there is no step “{kind}”")
    whole = Image.new("RGB", (max(image.width for image in images), sum(image.height for image in images)), BACKGROUND)
    top = 0
    for image in images:
        whole.paste(image, (0, top))
        top += image.height
    whole.quantize(64).save(options.output, optimize=True)


if __name__ == "__main__":
    main()
