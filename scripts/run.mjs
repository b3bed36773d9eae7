/** Starts a program as if it were this one: same terminal, same signals, same end. */
import { spawn } from 'node:child_process';

/**
 * Never returns: this process ends the way the child does. A terminal sends Ctrl-C to both of us,
 * so we only outlive it; passing it on would look like a second one, which means "now".
 */
export function become(command, args, env) {
  const child = spawn(command, args, { stdio: 'inherit', env });
  const fromTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  process.on('SIGINT', () => fromTerminal || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`${command} could not be started: ${error.message}.\n`);
    process.exit(1);
  });
  child.on('close', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
