"""Charts of the dashboard: SVG with axes, drawn on the server, in units of its viewBox."""

from datetime import timedelta
from itertools import groupby

from marketplace.adminsite.day_counts import rows_per_day, summed

# What a bar is, by the number of days that are shown: so few that each can have its number.
BARS = {14: "day", 90: "week", 365: "month"}
WIDTH, HEIGHT = 360, 170
LEFT, RIGHT, TOP, BOTTOM = 30, 356, 16, 138
MAX_TICKS = 4


def days_of(text):
    """The number of days that a query string asks for."""
    return int(text) if text in {str(days) for days in BARS} else min(BARS)


def charts(admins, days):
    """A chart of rows for each title: "Installs" are those of skills and of personas."""
    counted = [each for each in admins if each.counted_by_day]
    counts = rows_per_day(
        {each.opts.model_name: (each.model, each.counted_by_day[1]) for each in counted}, days
    )
    by_title = {}
    for each in counted:
        by_title.setdefault(each.counted_by_day[0], []).append(counts[each.opts.model_name])
    return [chart(title, summed(parts), BARS[days]) for title, parts in by_title.items()]


def chart(title, days, bar):
    bars = bars_of(days, bar)
    known = [rows for _, rows in days if rows is not None]
    ticks = ticks_up_to(max((each["rows"] for each in bars), default=0))
    step, scale = (RIGHT - LEFT) / len(bars), (BOTTOM - TOP) / ticks[-1]
    for number, each in enumerate(bars):
        height = round(each["rows"] * scale, 1)
        each |= {
            "x": round(LEFT + number * step + step * 0.14, 1),
            "center": round(LEFT + (number + 0.5) * step, 1),
            "y": round(BOTTOM - height, 1),
            "number_y": round(BOTTOM - height - 3, 1),
            "height": height,
            "number": compact(each["rows"]),
        }
    return {
        "title": title,
        "bar": bar,
        "bars": bars,
        "bar_width": round(step * 0.72, 1),
        "ticks": [{"y": round(BOTTOM - tick * scale, 1), "text": compact(tick)} for tick in ticks],
        "total": sum(known),
        "days": len(days),
        "today": days[-1][1],
        "uncounted": len(days) - len(known),
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "right": RIGHT,
    }


def bars_of(days, bar):
    """The bars of the days, oldest first; the first and the last may be cut off."""
    bars, before = [], None
    for first, group in groupby(days, key=lambda day: start_of(bar, day[0])):
        is_month = bar == "month"
        label, below = (f"{first:%b}", f"{first:%Y}") if is_month else (first.day, f"{first:%b}")
        bars.append(
            {
                "first": max(first, days[0][0]),
                "rows": sum(rows or 0 for _, rows in group),
                "label": label,
                "below": "" if below == before else below,
            }
        )
        before = below
    return bars


def start_of(bar, day):
    if bar == "month":
        return day.replace(day=1)
    return day - timedelta(days=day.weekday()) if bar == "week" else day


def ticks_up_to(highest):
    """A few round numbers from 0 to one that is not below the highest."""
    magnitude = 1
    while True:
        for step in (magnitude, 2 * magnitude, 5 * magnitude):
            if step * MAX_TICKS >= highest:
                return [step * number for number in range(max(-(-highest // step), 1) + 1)]
        magnitude *= 10


def compact(number):
    """A number in at most four characters or so: 950, 1.2k, 34k, 5.6M."""
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            shown = f"{number / size:.1f}" if number < 10 * size else f"{number // size}"
            return shown.removesuffix(".0") + unit
    return str(number)
