/** An agent that prints a whole file as one line: `one-giant-line [bytes]`. The default is 8 MB. */
const bytes = Number(process.argv[2] ?? 8e6);
process.stdout.write(`${JSON.stringify({ type: 'text', text: 'x'.repeat(bytes) })}\n`);
process.stdout.write(`${JSON.stringify({ type: 'result', summary: 'read it' })}\n`);
