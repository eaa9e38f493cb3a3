# Print the verbatim block of the specification that follows a line
# "@c KIND NAME", given with -v.
# Copyright (C) 2026 The libsframe-coro authors.
# SPDX-License-Identifier: GPL-3.0-or-later

$0 == "@c " kind " " name { wanted = 1; next }
wanted && /^@end verbatim/ { exit }
wanted && on { print }
wanted && /^@verbatim/ { on = 1 }
