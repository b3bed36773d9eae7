/**
 * Gates in containers of a real engine: no network, the definition of the base, and red if they
 * can't run.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { defaultSettings } from '../../src/settings/settings.ts';
import type { BackendChoice } from '../../src/sandbox/choose-backend.ts';
import { containersOf, dockerEngine } from '../sandbox/docker-engine.ts';
import type { Judgement } from './gate-harness.ts';
import { GateHarness } from './gate-harness.ts';

const IN_DOCKER: BackendChoice = { backend: 'docker', enforced: null, canary: 'remembered' };

/**
 * Exits with 0 if it reaches a host, with 7 if it does not, and prints what it sees of any network.
 */
const REACH = `
  const { connect } = require('node:net');
  const names = Object.keys(require('node:os').networkInterfaces()).filter((name) => name !== 'lo');
  console.log('interfaces: ' + names.join(' '));
  connect(Number(process.argv[1]), '127.0.0.1')
    .once('connect', () => process.exit(0))
    .once('error', () => process.exit(7));
`;

test('gates run in docker', { timeout: 600_000 }, async (t) => {
  let why = '';
  await using engine = await dockerEngine((words) => (why = words));
  if (engine === undefined) {
    if (process.env['CI'] !== undefined) assert.fail(why);
    return t.skip(`missing: docker (${why})`);
  }
  const before = process.env['DOCKER_HOST'];
  process.env['DOCKER_HOST'] = engine.host;
  t.after(() => {
    if (before === undefined) delete process.env['DOCKER_HOST'];
    else process.env['DOCKER_HOST'] = before;
  });
  await using harness = await GateHarness.create(
    'echo "grep -q good file" > check.sh; echo bad > file',
    'echo true > check.sh; echo worse > file',
  );
  const judge = (
    command: readonly string[],
    image: string | null = engine.image,
  ): Promise<Judgement> =>
    harness.judge(command, {
      choose: async () => IN_DOCKER,
      sandbox: { ...defaultSettings.sandbox, backend: 'docker', image, pull: 'never' },
    });

  await t.test('in a container, on the work, and leave none behind', async () => {
    const { outcome, output } = await judge([
      'sh',
      '-c',
      'read -r it <file; echo $it; test -f /.dockerenv',
    ]);
    assert.deepEqual([outcome.kind, output], ['passed', 'worse\n']);
    assert.deepEqual(containersOf(engine, 'a000000000'), []);
  });

  await t.test('reach neither this machine nor any network', async () => {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const here = connect(port, '127.0.0.1');
      await once(here, 'connect'); // so there is a host to reach
      here.destroy();
      const { outcome, output } = await judge(['node', '-e', REACH, String(port)]);
      assert.ok(outcome.kind === 'failed' && outcome.exit === 7, JSON.stringify(outcome));
      assert.equal(output, 'interfaces: \n');
    } finally {
      server.close();
    }
  });

  await t.test('by the definition of before the work', async () => {
    const { outcome } = await judge(['sh', 'check.sh']);
    assert.ok(outcome.kind === 'failed', JSON.stringify(outcome));
    assert.deepEqual(outcome.restored, ['check.sh']);
  });

  const RED: readonly [
    why: string,
    command: readonly string[],
    image: string | null,
    reason: RegExp,
  ][] = [
    ['that fails', ['sh', '-c', 'echo no; exit 3'], engine.image, /^no$/],
    ['whose program is not in the image', ['no-such-program'], engine.image, /no-such-program/],
    ['whose image is not there', ['true'], 'supervisor-no-such-image:latest', /no-such-image/],
  ];
  for (const [which, command, image, reason] of RED)
    await t.test(`one ${which} is red`, async () => {
      const { outcome } = await judge(command, image);
      assert.notEqual(outcome.kind, 'passed');
      assert.match(
        outcome.kind === 'unable' ? outcome.why : outcome.kind === 'failed' ? outcome.tail : '',
        reason,
      );
    });
});
