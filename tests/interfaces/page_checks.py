"""Checks of a page that is open in a browser"""

import time
from http.server import BaseHTTPRequestHandler


class InTwoPieces(BaseHTTPRequestHandler):
    """Serves the pages of `server.upstream`. In the start page, half a second passes at LATE."""

    LATE = b"npx skills add"

    def do_GET(self):
        page = self.server.upstream.request("GET", self.path)
        self.send_response(page.status)
        self.send_header("Content-Type", page.headers["Content-Type"])
        self.send_header("Content-Length", str(len(page.body)))
        self.end_headers()
        first, late, rest = page.body.partition(self.LATE)
        self.wfile.write(first)
        time.sleep(0.5 if late else 0)
        self.wfile.write(late + rest)

    def log_message(self, *_):
        """Nobody reads it."""


def assert_fits(visitor, name, serious_violations):
    """Nothing makes the page wider than its screen, and what is written can be read by all."""
    assert serious_violations(visitor.page) == [], name
    assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    assert visitor.page.evaluate(CONTRAST) == [], name
    assert visitor.page.evaluate(BROKEN_WORDS) == [], name
    assert visitor.page.evaluate(CUT) == [], name
    assert visitor.page.evaluate(CUT_BADGES) == 0, name
    if "phone" in visitor.size:
        assert visitor.page.locator("kbd").count() == 0, name


# Words that are broken over two lines. Long ones may be, and commands and file names.
BROKEN_WORDS = """() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), told = [];
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (element.closest("pre, code, .files, script") || !element.checkVisibility()) continue;
    for (const word of texts.currentNode.data.matchAll(/[A-Za-z]{2,18}(?![A-Za-z])/g)) {
      if (word.index && /[A-Za-z]/.test(texts.currentNode.data[word.index - 1])) continue;
      const range = document.createRange();
      range.setStart(texts.currentNode, word.index);
      range.setEnd(texts.currentNode, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((box) => box.top));
      if (lines.size > 1) told.push(element.outerHTML.slice(0, 90));
    }
  }
  return told;
}"""


# What is wider than its box, where the box hides the rest and does not scroll.
CUT = """() => [...document.querySelectorAll("body *:not(.unseen, .skip, svg, svg *)")]
    .filter((element) => element.checkVisibility() && element.scrollWidth > element.clientWidth + 1)
    .filter((element) => {
      const {overflowX, clipPath} = getComputedStyle(element);
      return overflowX === "hidden" && clipPath === "none";
    })
    .map((element) => element.className + ": " + element.textContent.slice(0, 40))"""


# How many badges lie below what their box shows of a long title.
CUT_BADGES = """() => [...document.querySelectorAll(".badge")].filter((badge) => {
  for (let box = badge.parentElement; box; box = box.parentElement) {
    const isCut = box.getBoundingClientRect().bottom < badge.getBoundingClientRect().bottom - 1;
    if (isCut && getComputedStyle(box).overflowY === "hidden") return true;
  }
}).length"""


# The texts of a page whose colour is too near to what lies behind them (WCAG: 4.5).
CONTRAST = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const paint = (colours) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((part) => part / 255)
      .map((part) => part <= .03928 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const behind = (element) => {
    const colours = [];
    for (let at = element; at; at = at.parentElement)
      colours.unshift(getComputedStyle(at).backgroundColor);
    return colours;
  };
  const told = [];
  for (const element of document.querySelectorAll("body *:not([aria-hidden])")) {
    const says = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!says || !element.checkVisibility({opacityProperty: true})) continue;
    const back = behind(element);
    const one = light(paint([...back, getComputedStyle(element).color]));
    const other = light(paint(back));
    const contrast = (Math.max(one, other) + .05) / (Math.min(one, other) + .05);
    if (contrast < 4.5) told.push([element.textContent.trim().slice(0, 40), contrast]);
  }
  return told;
}"""
