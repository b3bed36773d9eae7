/** An agent that claims success, exits with 0 and has touched nothing. */
process.stdout.write(`${JSON.stringify({ type: 'result', summary: 'All done!' })}\n`);
