/** The program. It sets the exit code and lets the process end by itself, so that all output gets out. */
import { processContext } from './process-context.ts';
import { runCommand } from './command-line.ts';

// A reader that has gone away (`| head`) is no reason for a stack trace.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
process.stderr.on('error', () => {}); // there is nobody left to tell

process.exitCode = await runCommand(process.argv.slice(2), processContext());
