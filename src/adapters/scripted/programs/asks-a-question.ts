/** An agent that ends its turn with a question instead of work, because it needs a person. */
process.stdout.write(
  `${JSON.stringify({ type: 'text', text: 'There are two config files. Which one do you mean?' })}\n`,
);
process.stdout.write(`${JSON.stringify({ type: 'question', text: 'Which config file?' })}\n`);
