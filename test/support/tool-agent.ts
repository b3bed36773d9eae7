/**
 * A small agent that asks its model over the Anthropic wire, and performs the tool calls of the answers. It is installed
 * as a custom agent, so its words go through a real sandbox and a real gateway.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the agent sees the folder of the signals. */
export const SIGNALS = '/signals';

/**
 * `tool-agent PROMPT_FILE TURNS`. Before the calls of each named turn, it waits for the file `go-TURN` in the folder of
 * the signals. It gives up after two minutes.
 */
const PROGRAM = `#!/usr/bin/env node
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
const [promptFile, turns = ''] = process.argv.slice(2);
const held = new Set(turns.split(',').map(Number));
const tool = (name) => ({ name, input_schema: { type: 'object', properties: {} } });
const tools = ['Bash', 'Read', 'Edit', 'Glob', 'Grep'].map(tool);
const messages = [{ role: 'user', content: readFileSync(promptFile, 'utf8') }];
const perform = (name, input) => {
  if (name === 'Read') return readFileSync(input.file_path, 'utf8');
  if (name === 'Edit') return writeFileSync(input.file_path, input.new_string) ?? 'edited';
  if (name !== 'Bash') throw new Error('It does not work.');
  const { status, stdout, stderr } = spawnSync('sh', ['-c', input.command], { encoding: 'utf8' });
  if (status !== 0) throw new Error('Exit code ' + status + '\\n' + stdout + stderr);
  return stdout;
};
for (let turn = 1; ; turn += 1) {
  const answer = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': process.env.ANTHROPIC_API_KEY,
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify({ model: process.argv[4], max_tokens: 1000, messages, tools }),
  });
  const body = await answer.json();
  if (answer.status !== 200) throw new Error(JSON.stringify(body));
  messages.push({ role: 'assistant', content: body.content });
  const calls = body.content.filter(({ type }) => type === 'tool_use');
  if (calls.length === 0) {
    console.log(body.content.map(({ text = '' }) => text).join(''));
    break;
  }
  for (let nth = 0; held.has(turn) && nth < 2400 && !existsSync('${SIGNALS}/go-' + turn); nth += 1)
    await sleep(50);
  const content = calls.map(({ id, name, input }) => {
    const result = { type: 'tool_result', tool_use_id: id };
    try {
      return { ...result, content: perform(name, input) };
    } catch (error) {
      return { ...result, content: error.message, is_error: true };
    }
  });
  messages.push({ role: 'user', content });
}
`;

/** The folder with its program. */
export async function installToolAgent(root: string): Promise<string> {
  const bin = join(root, 'pkg', 'node_modules', 'tool-agent');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'package.json'), '{"type": "module"}');
  await writeFile(join(bin, 'tool-agent'), PROGRAM, { mode: 0o755 });
  return bin;
}
