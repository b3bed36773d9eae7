/** A file of its own, because every command reads it, and schemas take time to load. */

/** The maximum size of a request. The client checks it too: a server that refuses early may cut off a client that still sends. */
export const REQUEST_BYTES_MAX = 2_000_000;
