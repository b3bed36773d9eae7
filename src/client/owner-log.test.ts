import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { RefusalData } from '../base/errors.ts';
import { isRefusal } from '../base/errors.ts';
import { homeAt } from '../host/machine/state-home.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { OwnerLog, refusedLine } from './owner-log.ts';

const refused: RefusalData = { code: 'store.full', message: 'refused {"error":1}\n', hint: 'x' };

describe("an owner's log", () => {
  test('passes on the last refusal since it was opened, among other lines', async () => {
    await using dir = await tempDir();
    const home = homeAt(dir.path, dir.path);
    writeFileSync(home.ownerLog, `2026 ${refusedLine({ ...refused, message: 'of yesterday' })}\n`);
    const log = OwnerLog.open(home);
    assert.equal(log.refusal(), undefined);
    appendFileSync(home.ownerLog, `2026 swept\n2026 ${refusedLine(refused)}\nand more\n`);
    assert.deepEqual(log.refusal()?.data, refused);
  });

  test('is renamed when it is too long, and one older log is kept', async () => {
    await using dir = await tempDir();
    const home = homeAt(dir.path, dir.path);
    for (const text of ['a', 'b']) {
      writeFileSync(home.ownerLog, text.repeat(1_000_001));
      OwnerLog.open(home).handle()[Symbol.dispose]();
      assert.equal(statSync(home.ownerLog).size, 0);
      assert.equal(readFileSync(`${home.ownerLog}.1`, 'utf8')[0], text);
    }
  });

  test('creates the home for its user only, or refuses', async () => {
    await using dir = await tempDir();
    const made = join(dir.path, 'new', 'home');
    OwnerLog.open(homeAt(made, dir.path));
    assert.equal(statSync(made).mode & 0o777, 0o700);
    writeFileSync(join(dir.path, 'file'), '');
    assert.throws(
      () => OwnerLog.open(homeAt(join(dir.path, 'file'), dir.path)),
      (error) => isRefusal(error, 'home.unusable'),
    );
  });
});
