import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { systemClock } from '../machine/system-clock.ts';
import type { CommandOptions } from './command-process.ts';
import { CommandProcess } from './command-process.ts';
import { takeSnapshot } from './process-snapshot.ts';

const sh = (script: string) => ({
  argv: ['/bin/sh', '-c', script],
  cwd: '/',
  env: { PATH: '/usr/bin:/bin' },
});

let tags = 0;

function collecting(outputBytesMax = 1000): CommandOptions & { readonly taken: () => string } {
  const chunks: Uint8Array[] = [];
  const take = (chunk: Uint8Array): void => void chunks.push(chunk);
  return {
    ...{ tag: `command-process-test/${process.pid}/${(tags += 1)}`, clock: systemClock },
    ...{ onStdout: take, onStderr: take, outputBytesMax },
    taken: () => Buffer.concat(chunks).toString('utf8'),
  };
}

async function ready(tag: string): Promise<CommandProcess> {
  const commands = new CommandProcess({ node: process.execPath, tag });
  await eventually('it is ready', () => commands.state === 'ready');
  return commands;
}

async function tagged(tag: string): Promise<number> {
  const { tags: found } = await takeSnapshot();
  return [...found.values()].filter((one) => one.startsWith(tag)).length;
}

describe('a command that another process starts', async () => {
  const commands = await ready(`command-process-test/${process.pid}/main`);
  after(() => commands.close());

  test('has its input, its outputs and its exit', async () => {
    const options = collecting();
    const command = { ...sh('cat; echo oops >&2; exit 3'), stdin: 'hello ' };
    const exit = await commands.start(command, options).ended;
    assert.deepEqual([exit, options.taken()], [{ kind: 'code', code: 3 }, 'hello oops\n']);
  });

  test('says if it could not be started', async () => {
    const command = { ...sh(''), argv: ['/no/such/program'] };
    const { kind } = await commands.start(command, collecting()).ended;
    assert.equal(kind, 'not-started');
  });

  test('is killed with its descendants', async () => {
    const options = collecting();
    const started = commands.start(sh('echo up; sleep 600 & sleep 600'), options);
    await eventually('it is up', () => options.taken() === 'up\n');
    await started.kill();
    assert.deepEqual(await started.ended, { kind: 'signal', signal: 'SIGKILL' });
    assert.equal(await tagged(options.tag), 0);
  });

  test('delivers hardly more than its limit, however much it prints', async () => {
    const options = collecting(10);
    const started = commands.start(sh('yes'), options);
    await eventually('the limit is exceeded', () => options.taken().length > 10);
    await started.kill();
    assert.ok(options.taken().length < 1_000_000);
  });
});

describe('the process that starts commands', () => {
  test('leaves none of them when it is closed', async () => {
    const commands = await ready(`command-process-test/${process.pid}/closed`);
    const options = collecting();
    const started = commands.start(sh('echo up; sleep 600'), options);
    await eventually('it is up', () => options.taken() === 'up\n');
    await commands.close();
    await started.ended;
    assert.deepEqual([await tagged(options.tag), commands.state], [0, 'gone']);
  });

  test('leaves none of them when it is killed', async () => {
    const tag = `command-process-test/${process.pid}/killed`;
    const commands = await ready(tag);
    const options = collecting();
    const started = commands.start(sh('echo up; sleep 600'), options);
    await eventually('it is up', () => options.taken() === 'up\n');
    const { tags: found } = await takeSnapshot();
    const pid = [...found].find(([, one]) => one === tag)?.[0];
    assert.ok(pid !== undefined);
    process.kill(pid, 'SIGKILL');
    assert.deepEqual(await started.ended, { kind: 'signal', signal: 'SIGKILL' });
    assert.equal(await tagged(options.tag), 0);
  });
});
