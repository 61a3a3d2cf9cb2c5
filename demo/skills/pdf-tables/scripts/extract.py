#!/usr/bin/env python3
"""Writes every table of a PDF as CSV: page, number of the table on it, and the cells of a row."""

import csv
import sys

import pdfplumber

RULED = {"vertical_strategy": "lines", "horizontal_strategy": "lines"}
LOOSE = {"vertical_strategy": "text", "horizontal_strategy": "text"}


def clean(cell):
    return " ".join((cell or "").replace("\u00a0", " ").split())


def rows(path):
    with pdfplumber.open(path) as pdf:
        for page in pdf.pages:
            ruled = len(page.lines) + len(page.rects) >= 4
            tables = page.extract_tables(RULED if ruled else LOOSE)
            for number, table in enumerate(tables, 1):
                for row in table:
                    cells = [clean(c) for c in row]
                    if any(cells):
                        yield [page.page_number, number, *cells]


writer = csv.writer(sys.stdout)
for row in rows(sys.argv[1]):
    writer.writerow(row)
