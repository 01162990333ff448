"""Reads VTIMEZONE components with python-dateutil, and says the offsets that it finds in them.

In: one JSON object per line, {"block": text of the component, "times": [wall clocks as YYYY-MM-DDTHH:MM:SS]}.
Out: one JSON array of offsets in seconds per line.
"""

import datetime
import io
import json
import sys

from dateutil import tz


def read(block):
    # dateutil knows no X- properties, and refuses a component that has one (it reads RFC 2445 4.6.5 without x-prop).
    lines = [line for line in block.split("\r\n") if not line.startswith("X-")]
    return tz.tzical(io.StringIO("\n".join(lines))).get()


for line in sys.stdin:
    asked = json.loads(line)
    zone = read(asked["block"])
    found = [zone.utcoffset(datetime.datetime.fromisoformat(time)) for time in asked["times"]]
    print(json.dumps([round(offset.total_seconds()) for offset in found]))
