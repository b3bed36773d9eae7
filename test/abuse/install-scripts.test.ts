/** Scripts that packages run when they are installed, inside a setup. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { SandboxedHarness } from '../real/sandboxed-harness.ts';

const missing = ['bwrap', 'npm', 'curl'].filter((name) => which(name, process.env) === undefined);
const skip =
  missing.length > 0 && process.env['CI'] === undefined ? `missing: ${missing.join(', ')}` : false;

const CANARY = 'canary-in-the-house-of-the-user';

test(
  'case 48: an install script of a package finds no secret, no network and nothing to change',
  { skip, timeout: 300_000 },
  async () => {
    let hits = 0;
    const listener = createServer((socket) => {
      hits += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const { port } = listener.address() as AddressInfo;
    const agents = [
      { id: 'mine', cli: 'custom', command: ['sh', '-c', 'cat node_modules/loot >loot.txt'] },
    ];
    const setup = {
      command: ['npm', 'install', '--offline', '--no-audit', '--foreground-scripts'],
    };
    await using at = await SandboxedHarness.create({
      config: { agents, setup },
      env: { NPM_TOKEN: CANARY, MY_SECRET: CANARY },
    });
    try {
      const outside = join(at.root, 'outside');
      await mkdir(outside, { mode: 0o777 });
      await chmod(outside, 0o777);
      const user = join(at.root, 'user');
      // The script writes everything that it can see and reach into a file of its tree.
      const script = `
        mkdir -p ../node_modules "$INIT_CWD/node_modules"; exec >>"$INIT_CWD/node_modules/loot" 2>&1
        echo ran; env; cat /proc/*/environ
        cat ${user}/.ssh/id_ed25519 ${user}/.npmrc ~/.npmrc ${at.home}/config.yaml && echo read
        touch ${outside}/a ${at.project}/b ${at.home}/c ${user}/d && echo wrote
        curl -sS --max-time 5 http://127.0.0.1:${port}/ && echo reached
        (setsid sh -c 'sleep 1; touch ${outside}/late' &)
        true`;
      const files = {
        'package.json': { name: 'app', version: '1.0.0', dependencies: { dep: 'file:dep' } },
        'dep/package.json': {
          name: 'dep',
          version: '1.0.0',
          scripts: { postinstall: 'sh ./loot.sh' },
        },
      };
      for (const [path, value] of Object.entries(files)) {
        await mkdir(dirname(join(at.project, path)), { recursive: true });
        await writeFile(join(at.project, path), JSON.stringify(value));
      }
      await writeFile(join(at.project, 'dep/loot.sh'), script);
      await mkdir(join(user, '.ssh'), { recursive: true });
      for (const name of ['.ssh/id_ed25519', '.npmrc'])
        await writeFile(join(user, name), `# ${CANARY}\n`);
      at.git('add', '--all');
      at.git('commit', '--quiet', '-m', 'a project');

      const run = await at.submit('mine', { once: true });
      const facts = await at.factsOf(run);
      assert.equal(resultKind(facts.at(-1)), 'unverified', JSON.stringify(facts.at(-1)));
      await at.client.apply(run);
      const loot = await readFile(join(at.project, 'loot.txt'), 'utf8');
      assert.match(loot, /^ran$/m);
      assert.doesNotMatch(loot, /^(?:read|wrote|reached)$/m);
      assert.equal(loot.includes(CANARY), false);
      const touched = [
        join(outside, 'a'),
        join(at.project, 'b'),
        join(at.home, 'c'),
        join(user, 'd'),
      ];
      assert.deepEqual([...touched, join(outside, 'late')].filter(existsSync), []);
      assert.equal(hits, 0);
    } finally {
      await new Promise((resolve) => listener.close(resolve));
    }
  },
);

function resultKind(event: { type: string; payload: unknown } | undefined): unknown {
  const { outcome } = (event?.payload ?? {}) as { outcome?: { kind: string } };
  return outcome?.kind;
}
