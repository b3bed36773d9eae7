import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { acquireOwnership } from '../../src/store/sqlite/owner-lock.ts';
import { temporaryFolder } from '../support/journal-files.ts';

const script = fileURLToPath(new URL('children/holds-ownership.ts', import.meta.url));

class Contender {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;

  constructor(path: string) {
    this.#child = spawn(process.execPath, [script, path], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#closed = once(this.#child, 'close');
  }

  async says(): Promise<string> {
    assert.ok(this.#child.stdout);
    const [text] = (await once(this.#child.stdout, 'data')) as [Buffer];
    return text.toString().trim();
  }

  async end(how: 'by itself' | 'by SIGKILL'): Promise<void> {
    if (how === 'by itself') this.#child.stdin?.end();
    else this.#child.kill('SIGKILL');
    await this.#closed;
  }
}

for (const how of ['by itself', 'by SIGKILL'] as const) {
  test(`case 57: of two processes one owns the state, and when it ends ${how} the next one does`, async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'owner.lock');
    const contenders = [new Contender(path), new Contender(path)];
    const answers = await Promise.all(contenders.map((one) => one.says()));
    assert.deepEqual(answers.toSorted(), ['owner', 'turned away']);
    assert.equal(acquireOwnership(path), undefined);

    await contenders[answers.indexOf('owner')]?.end(how);
    const next = new Contender(path);
    assert.equal(await next.says(), 'owner');

    await next.end(how);
    await contenders[answers.indexOf('turned away')]?.end(how);
  });
}
