/** An agent that prints a binary file: NUL bytes, lone continuation bytes and an escape sequence. */
process.stdout.write(Uint8Array.of(0x61, 0x00, 0x62, 0x80, 0xff, 0x1b, 0x5b, 0x32, 0x4a, 0x0a));
process.stdout.write(`${JSON.stringify({ type: 'result', summary: 'printed\u0000it' })}\n`);
