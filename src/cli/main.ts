/** The program. It sets the exit code and lets the process end by itself, so that all output is written. */
import { processContext } from './process-context.ts';
import { runCommand } from './command-line.ts';

// If the reader has closed the pipe (`| head`), end without a message. A full disk is an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`error: The output can't be written: ${error.message}.\n`);
  process.stderr.write('Free some disk space, or send the output to another file.\n');
  process.exit(1);
});
process.stderr.on('error', () => {}); // an error can't be reported without stderr

process.exitCode = await runCommand(process.argv.slice(2), processContext());
