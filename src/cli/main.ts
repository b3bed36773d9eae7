/** The program. It sets the exit code and lets the process end by itself, so that all output is written. */
import { isReaderGone, processContext } from './process-context.ts';
import { runCommand } from './command-line.ts';

// If the reader has closed the pipe (`| head`), the command continues without it: a run ends, and its work is applied.
// Commands that only show something listen to `onReaderGone`. A full disk is an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (isReaderGone(error)) return;
  process.stderr.write(`error: The output can't be written: ${error.message}.\n`);
  process.stderr.write('Free some disk space, or send the output to another file.\n');
  process.exit(1);
});
process.stderr.on('error', () => {}); // an error can't be reported without stderr

process.exitCode = await runCommand(process.argv.slice(2), processContext());
