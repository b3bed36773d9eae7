/** An agent that hangs without a word, until it is told to stop. */
setInterval(() => {}, 1e9);
