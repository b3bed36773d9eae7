import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { BriefStore } from './brief-store.ts';

describe('a stored prompt', () => {
  test('is stored once, by its content, and is read unchanged', async () => {
    await using dir = await tempDir();
    const folder = join(dir.path, 'briefs');
    const text = 'Read this: naïve 東京\r\n\0 end';
    const hash = await new BriefStore(folder).save(text);
    assert.equal(await new BriefStore(folder).save(text), hash);
    assert.deepEqual(await readdir(folder), [`${hash}.md`]);
    assert.equal(await new BriefStore(folder).read(hash), text);
  });

  test('is refused if it is missing, has changed, or its hash is invalid', async () => {
    await using dir = await tempDir();
    const store = new BriefStore(dir.path);
    const hash = await store.save('the original');
    await writeFile(join(dir.path, `${hash}.md`), 'something else');
    for (const wanted of [hash, 'a'.repeat(64), '../../etc/passwd'])
      await assert.rejects(store.read(wanted), (error) => isRefusal(error, 'context.unavailable'));
  });

  test('has a size limit', async () => {
    await using dir = await tempDir();
    const saving = new BriefStore(dir.path).save('x'.repeat(2_000_001));
    await assert.rejects(saving, (error) => isRefusal(error, 'context.too-large'));
    assert.deepEqual(await readdir(dir.path), []);
  });
});
