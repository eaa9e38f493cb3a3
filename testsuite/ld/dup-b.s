	.include "dup.inc"
	resume b.shared, shared.task
	resume b.root, root.task
	resume b.longer, longer.task
	resume b.private, private.task
	resume b.framed, framed.task, .text.framed
