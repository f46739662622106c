/** Deeper than any envelope by far, and shallow enough for recursion over a tree. The root is at 1. */
export const MAX_DEPTH = 32

/** Elements, members and items of one document, the root among them. */
export const MAX_NODES = 10_000
