/**
 * An agent that exits with 0 and leaves a tool that holds its stdout open. Prints `{"pids":[agent,
 * tool]}`.
 */
import { spawn } from 'node:child_process';

const tool = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e9)'], {
  detached: true,
  stdio: ['ignore', 'inherit', 'inherit'],
});
tool.unref();
process.stdout.write(`${JSON.stringify({ pids: [process.pid, tool.pid] })}\n`);
