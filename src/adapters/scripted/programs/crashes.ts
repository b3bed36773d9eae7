/** An agent that starts, prints an error to stderr and exits with 3. */
process.stdout.write(`${JSON.stringify({ type: 'text', text: 'Let me look at the tests.' })}\n`);
process.stderr.write('TypeError: cannot read properties of undefined\n');
process.exitCode = 3;
