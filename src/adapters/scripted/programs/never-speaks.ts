/** An agent that hangs without output until it is stopped. */
setInterval(() => {}, 1e9);
