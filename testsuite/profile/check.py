# What profiles of the formats have to be, as others describe them.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: check.py FORMAT FILE	prints "STACK COUNT" lines as the folded format
#				has them, sorted, or what is wrong

import gzip
import html.parser
import json
import sys


def wrong(text):
    sys.exit(text)


def print_folded(stacks):
    for stack in sorted(stacks):
        print(stack, stacks[stack])


def add(stacks, names, count):
    key = ";".join(name.replace(";", ":") for name in names)
    stacks[key] = stacks.get(key, 0) + count


# pprof: field numbers of profile.proto in github.com/google/pprof.

def varint(data, pos):
    value = shift = 0
    while True:
        byte = data[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, pos


def fields(data):
    """The fields of a message: number and value, as it is in the bytes."""
    pos = 0
    while pos < len(data):
        tag, pos = varint(data, pos)
        if tag & 7 == 0:
            value, pos = varint(data, pos)
        elif tag & 7 == 2:
            size, pos = varint(data, pos)
            value = data[pos:pos + size]
            pos += size
        else:
            wrong("wire type %d" % (tag & 7))
        yield tag >> 3, value


def single(message, number, default=0):
    for n, value in fields(message):
        if n == number:
            default = value
    return default


def every(message, number):
    return [value for n, value in fields(message) if n == number]


def numbers(message, number):
    """Repeated numbers, packed or not."""
    result = []
    for value in every(message, number):
        if isinstance(value, int):
            result.append(value)
        else:
            pos = 0
            while pos < len(value):
                one, pos = varint(value, pos)
                result.append(one)
    return result


def check_pprof(path):
    raw = open(path, "rb").read()
    if raw[:2] != b"\x1f\x8b" or raw[4:8] != bytes(4):
        wrong("no gzip, or with a time")
    data = gzip.decompress(raw)
    strings = [s.decode() for s in every(data, 6)]
    if strings[0] != "":
        wrong("first string")
    types = [(strings[single(t, 1)], strings[single(t, 2)])
             for t in every(data, 1)]
    if types != [("samples", "count"), ("cpu", "nanoseconds")]:
        wrong("types: %s" % types)
    if single(data, 12) != 1001001:
        wrong("period")
    functions = {single(f, 1): f for f in every(data, 5)}
    mappings = {single(m, 1): m for m in every(data, 3)}
    locations = {single(l, 1): l for l in every(data, 4)}
    for location in locations.values():
        mapping = single(location, 2)
        address = single(location, 3)
        if mapping != 0 and not (single(mappings[mapping], 2) <= address
                                 < single(mappings[mapping], 3)):
            wrong("location outside of its mapping")
    files = [strings[single(m, 5)] for m in mappings.values()]
    if not any(f.endswith("/synthetic") for f in files):
        wrong("mappings: %s" % files)
    stacks = {}
    for sample in every(data, 2):
        values = numbers(sample, 2)
        if values[1] != values[0] * 1001001:
            wrong("values: %s" % values)
        labels = {}
        for label in every(sample, 3):
            key = strings[single(label, 1)]
            value = single(label, 2)
            labels.setdefault(key, []).append(
                strings[value] if value else single(label, 3))
        names = [labels["thread"][0]]
        kinds = set()
        for number in reversed(numbers(sample, 1)):
            location = locations[number]
            for line in reversed(every(location, 4)):
                name = strings[single(functions[single(line, 1)], 2)]
                kind = single(location, 1000)
                kinds.add(kind)
                names.append(name + {1: "_[k]", 4: "_[a]"}.get(kind, ""))
        if (4 in kinds) != ("chain" in labels) or "tid" not in labels:
            wrong("labels: %s" % labels)
        add(stacks, names, values[0])
    print_folded(stacks)


# speedscope: https://www.speedscope.app/file-format-schema.json

def check_speedscope(path):
    top = json.load(open(path))
    if top["$schema"] != "https://www.speedscope.app/file-format-schema.json":
        wrong("$schema")
    frames = top["shared"]["frames"]
    for frame in frames:
        if not isinstance(frame["name"], str) or set(frame) - {
                "name", "file", "line", "col"}:
            wrong("frame: %s" % frame)
    profiles = top["profiles"]
    if not 0 <= top["activeProfileIndex"] < len(profiles):
        wrong("activeProfileIndex")
    for profile in profiles:
        if set(profile) != {"type", "name", "unit", "startValue", "endValue",
                            "samples", "weights"}:
            wrong("profile: %s" % sorted(profile))
        if profile["type"] != "sampled" or profile["unit"] != "nanoseconds":
            wrong("type or unit")
        if len(profile["samples"]) != len(profile["weights"]):
            wrong("not a weight for each sample")
        if sum(profile["weights"]) != (profile["endValue"]
                                       - profile["startValue"]):
            wrong("sum of weights")
        for stack in profile["samples"]:
            if not all(0 <= f < len(frames) for f in stack):
                wrong("frame number")
    # The first is of all threads, the others of one each.
    if sum(p["endValue"] for p in profiles[1:]) != profiles[0]["endValue"]:
        wrong("threads do not sum to all")
    stacks = {}
    for stack, weight in zip(profiles[0]["samples"], profiles[0]["weights"]):
        names = [frames[f]["name"].replace(" [awaiting]", "_[a]")
                 .replace(" [kernel]", "_[k]") for f in stack]
        add(stacks, names, weight // 1001001)
    print_folded(stacks)


# Flame graphs.

class Boxes(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.boxes = []
        self.inside = False

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        for name in ("src", "href", "action", "srcset"):
            if name in attrs:
                wrong("refers to %s" % attrs[name])
        if tag == "div" and attrs.get("role") == "treeitem":
            self.inside = True
            self.boxes.append({"attrs": attrs, "text": ""})

    def handle_endtag(self, tag):
        if tag == "div":
            self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.boxes[-1]["text"] += data


def style(box):
    parts = (p.split(":") for p in box["attrs"]["style"].split(";") if p.strip())
    return {name.strip(): float(value.strip().rstrip("%px"))
            for name, value in parts}


def check_box(box, boxes, total):
    attrs = box["attrs"]
    box["x"], box["w"] = int(attrs["data-x"]), int(attrs["data-w"])
    where = style(box)
    if (abs(where["left"] - 100 * box["x"] / total) > 1e-3
            or abs(where["width"] - 100 * box["w"] / total) > 1e-3
            or where["top"] != 17 * int(attrs["data-d"])):
        wrong("place: %s" % attrs)
    title = attrs["title"].split("\n")
    if title[0] != box["text"] or not title[-1].startswith(
            "%d samples, " % box["w"]):
        wrong("title: %s" % title)
    kind = attrs["class"][0]
    if len(title) == 3 and ("awaiting" in title[1]) != (kind == "a"):
        wrong("class: %s" % attrs)
    box["name"] = box["text"] + {"k": "_[k]", "a": "_[a]"}.get(kind, "")
    box["self"] = box["w"]
    if "data-p" not in attrs:
        box["names"] = []
        return
    parent = boxes[int(attrs["data-p"])]
    # Boxes come after the one around them, from left to right.
    if (box["x"] < parent["x"] + parent.get("used", 0)
            or box["x"] + box["w"] > parent["x"] + parent["w"]
            or int(attrs["data-d"]) != int(parent["attrs"]["data-d"]) + 1):
        wrong("not in the box around it, or over its neighbour: %s" % attrs)
    parent["used"] = box["x"] + box["w"] - parent["x"]
    parent["self"] -= box["w"]
    box["names"] = parent["names"] + [box["name"]]


def check_flamegraph(path):
    text = open(path, encoding="utf-8").read()
    for word in ("http:", "https:", "@import", "url("):
        if word in text:
            wrong("refers to something else: %s" % word)
    parser = Boxes()
    parser.feed(text)
    boxes = parser.boxes
    stacks = {}
    total = int(boxes[0]["attrs"]["data-w"])
    for box in boxes:
        check_box(box, boxes, total)
    for box in boxes:
        if box["self"]:
            add(stacks, box["names"], box["self"])
    print_folded(stacks)


# What is left of the page when its script has searched and zoomed: `middle'
# was looked for, and the first box of it is shown whole.

def check_dom(path):
    text = open(path, encoding="utf-8").read()
    parser = Boxes()
    parser.feed(text)
    zoomed = None
    for box in parser.boxes:
        classes = box["attrs"]["class"].split()
        hit = "middle" in box["text"]
        if ("hit" in classes) != hit:
            wrong("searched: %s" % box)
        if hit and zoomed is None and "out" not in classes:
            zoomed = box
    if zoomed is None or abs(style(zoomed)["width"] - 100) > 1e-3:
        wrong("zoomed: %s" % zoomed)
    if not any("out" in b["attrs"]["class"].split() for b in parser.boxes):
        wrong("nothing is out of sight")
    if "boxes match, " not in text:
        wrong("search says nothing")


checks = {"pprof": check_pprof, "speedscope": check_speedscope,
          "flamegraph": check_flamegraph, "dom": check_dom}
checks[sys.argv[1]](sys.argv[2])
