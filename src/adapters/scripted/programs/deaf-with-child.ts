/**
 * An agent that ignores stop signals, with a tool in its own session that ignores them too. Prints
 * `{"pids":[agent, tool]}` once both ignore them.
 */
import { spawn } from 'node:child_process';

const DEAF = `process.on('SIGINT', () => {}); process.on('SIGTERM', () => {});
  setInterval(() => {}, 1e9); process.send('deaf');`;

process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
const tool = spawn(process.execPath, ['-e', DEAF], {
  detached: true,
  stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
});
tool.once('message', () => {
  process.stdout.write(`${JSON.stringify({ pids: [process.pid, tool.pid] })}\n`);
});
