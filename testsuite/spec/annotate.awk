# Decode a section by the tables of the specification alone.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Input: the layout that spec-facts.awk prints, then the bytes as decimal
# numbers ("od -An -v -tu1").  -v address: where the section is mapped.
# Little-endian.  Prints each field in the order of the section.

$1 == "RECORD" { size_of[$2] = $3; next }
$1 == "FIELD" {
  i = ++num_fields[$2]
  name[$2, i] = $3
  offset[$2, i] = $4
  type[$2, i] = $5
  at[$2, $3] = $4
  count = 1
  if (match($5, /\[[0-9]+\]/))
    count = substr($5, RSTART + 1, RLENGTH - 2)
  match($5, /int[0-9]+/)
  width[$2, i] = substr($5, RSTART + 3, RLENGTH - 3) / 8
  elements[$2, i] = count
  wide[$2, $3] = width[$2, i]
  next
}
{
  for (i = 1; i <= NF; i++)
    byte[size++] = $i + 0
}

function fail(why)
{
  print "annotate: " why > "/dev/stderr"
  failed = 1
  exit 1
}

# The N bytes at OFF as a number, exact up to 2^53.
function unsigned(off, n,    v)
{
  if (off + n > size)
    fail("beyond the end")
  v = 0
  while (n-- > 0)
    v = v * 256 + byte[off + n]
  return v
}

function signed(off, n,    v, k)
{
  if (byte[off + n - 1] < 128)
    return unsigned(off, n)
  v = 0
  for (k = n - 1; k >= 0; k--)
    v = v * 256 + 255 - byte[off + k]
  return -v - 1
}

function field(record, off, name)
{
  return unsigned(off + at[record, name], wide[record, name])
}

function note(off, len, name, value)
{
  text[off] = name
  value_of[off] = value
  extent[off] = len
}

function title(off, s)
{
  title_of[off] = title_of[off] s
}

# An address as a number or, in the fields that are PC-relative, what it
# leads to.
function value(record, off, i, k,    v, f)
{
  f = name[record, i]
  if (pcrel[record, f])
    return sprintf("-> 0x%x", address + off + signed(off, 8))
  if (type[record, i] ~ /^int/)
    return signed(off, width[record, i])
  v = ""
  for (k = width[record, i] - 1; k >= 0; k--)
    v = v sprintf("%02x", byte[off + k])
  sub(/^0+/, "", v)
  if (length(v) < 2)
    return v == "" ? "0" : unsigned(off, 1)
  if (unsigned(off, width[record, i]) < 1000)
    return unsigned(off, width[record, i])
  return "0x" v
}

function annotate(record, off, what,    i, k, o, n)
{
  title(off, what)
  for (i = 1; i <= num_fields[record]; i++)
    for (k = 0; k < elements[record, i]; k++)
      {
	o = off + offset[record, i] + k * width[record, i]
	n = name[record, i]
	if (elements[record, i] > 1)
	  n = n "[" k "]"
	note(o, width[record, i], n, value(record, o, i))
      }
}

function path(off, what,    n, k)
{
  if (off < 0 || title_of[off] != "")
    return
  annotate("sframe_coro_path_entry", off, what)
  n = field("sframe_coro_path_entry", off, "num_offs")
  for (k = 0; k < n; k++)
    note(off + 4 + 4 * k, 4, "off[" k "]", signed(off + 4 + 4 * k, 4))
  if (field("sframe_coro_path_entry", off, "flags") == 1)
    note(off + 4 + 4 * n, 4, "adjust", signed(off + 4 + 4 * n, 4))
}

function string(off, what,    o, s)
{
  title(off, what)
  for (o = off; byte[o] != 0; o++)
    s = s sprintf("%c", byte[o])
  note(off, o - off + 1, "", "\"" s "\"")
}

function reference(data, v)
{
  return v == 4294967295 ? -1 : data + v
}

function chain(off, data, strings,    r, n, k, o)
{
  r = "sframe_coro_chain_entry"
  pcrel[r, "end_value"] = field(r, off, "end_kind") == 3
  annotate(r, off, "chain entry")
  n = field(r, off, "num_heads")
  for (k = 0; k < n; k++)
    {
      o = data + field(r, off, "heads") + k * size_of["sframe_coro_head_entry"]
      pcrel["sframe_coro_head_entry", "value"] \
	= byte[o] == 1 || byte[o] >= 3 && byte[o] <= 5
      annotate("sframe_coro_head_entry", o, "head")
      path(reference(data, field("sframe_coro_head_entry", o, "path")),
	   "path of the head")
    }
  n = field(r, off, "num_tests")
  for (k = 0; k < n; k++)
    {
      o = data + field(r, off, "tests") + k * size_of["sframe_coro_test_entry"]
      annotate("sframe_coro_test_entry", o, "test")
    }
  for (k = 0; k < 8; k++)
    path(reference(data, unsigned(off + at[r, "path"] + 4 * k, 4)),
	 "path[" k "]")
  string(strings + field(r, off, "name"), "name")
}

function block(off,    h, chains, funcs, data, strings, i)
{
  h = "sframe_coro_header"
  annotate(h, off, "block header")
  if (field(h, off, "magic") != 57024 || field(h, off, "version") != 1)
    fail("no block at " off)
  chains = off + field(h, off, "header_size")
  funcs = chains + field(h, off, "num_chains") * field(h, off, "chain_size")
  data = funcs + field(h, off, "num_funcs") * field(h, off, "func_size")
  strings = data + field(h, off, "data_len")
  for (i = 0; i < field(h, off, "num_chains"); i++)
    chain(chains + i * field(h, off, "chain_size"), data, strings)
  for (i = 0; i < field(h, off, "num_funcs"); i++)
    annotate("sframe_coro_func_entry",
	     funcs + i * field(h, off, "func_size"), "function entry")
  return off + field(h, off, "length")
}

function print_all(    o, k, hex, n, t)
{
  for (o = 0; o < size; o += n)
    {
      n = extent[o]
      t = text[o]
      if (!n)
	{
	  # Bytes that nothing refers to: padding, as a rule.
	  for (n = 1; o + n < size && !extent[o + n]; n++)
	    ;
	  t = "(padding)"
	}
      if (title_of[o] != "")
	printf "%s\n", title_of[o]
      hex = ""
      for (k = 0; k < n; k++)
	hex = hex sprintf(k ? " %02x" : "%02x", byte[o + k])
      t = sprintf("  %04x  %-31s %-14s %s", o, hex, t, value_of[o])
      sub(/ +$/, "", t)
      print t
    }
}

END {
  if (failed)
    exit 1
  pcrel["sframe_coro_func_entry", "start"] = 1
  pcrel["sframe_coro_func_entry", "chain"] = 1
  for (o = 0; o < size; )
    if (unsigned(o, 8) == 0)
      o += 8
    else
      o = block(o)
  print_all()
}
