/** An agent that is killed half-way through a line, as by the kernel when memory runs out. */
import { writeSync } from 'node:fs';

writeSync(1, `${JSON.stringify({ type: 'text', text: 'I begin.' })}\n`);
writeSync(1, '{"type":"tool","name":"wri');
process.kill(process.pid, 'SIGKILL');
