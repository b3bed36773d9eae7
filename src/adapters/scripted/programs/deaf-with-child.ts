/**
 * An agent that ignores being asked to stop, with a tool in a session of its own that ignores it
 * too. Prints `{"pids":[agent, tool]}` once both are deaf.
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
