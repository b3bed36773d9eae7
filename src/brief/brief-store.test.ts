import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { BriefStore } from './brief-store.ts';

describe('a kept prompt', () => {
  test('is there once, by its content, and comes back as it was', async () => {
    await using dir = await tempDir();
    const folder = join(dir.path, 'briefs');
    const text = 'Read this: naïve 東京\r\n\0 end';
    const hash = await new BriefStore(folder).keep(text);
    assert.equal(await new BriefStore(folder).keep(text), hash);
    assert.deepEqual(await readdir(folder), [`${hash}.md`]);
    assert.equal(await new BriefStore(folder).read(hash), text);
  });

  test('is refused when it is gone, was changed, or is no hash at all', async () => {
    await using dir = await tempDir();
    const store = new BriefStore(dir.path);
    const hash = await store.keep('what was meant');
    await writeFile(join(dir.path, `${hash}.md`), 'something else');
    for (const wanted of [hash, 'a'.repeat(64), '../../etc/passwd'])
      await assert.rejects(store.read(wanted), (error) => isRefusal(error, 'context.unavailable'));
  });

  test('has a bound', async () => {
    await using dir = await tempDir();
    const kept = new BriefStore(dir.path).keep('x'.repeat(2_000_001));
    await assert.rejects(kept, (error) => isRefusal(error, 'context.too-large'));
    assert.deepEqual(await readdir(dir.path), []);
  });
});
