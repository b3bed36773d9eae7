/** Reads the file of a feature that the user names. */
import { resolve } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import { readTextFile } from '../../host/files/read-text-file.ts';
import type { Feature } from '../../protocol/feature.ts';
import { parsePlaced } from '../../plan/parse-feature.ts';
import { TEXT_BYTES_MAX } from '../../yaml/read-yaml.ts';

export async function readFeatureFile(cwd: string, file: string): Promise<Feature> {
  return (await readFeatureText(cwd, file)).feature;
}

/** The same, with the text for the owner, which reads it again. */
export async function readFeatureText(
  cwd: string,
  file: string,
): Promise<{ readonly text: string } & ReturnType<typeof parsePlaced>> {
  const text = await readTextFile(resolve(cwd, file), TEXT_BYTES_MAX);
  if (text !== undefined) return { text, ...parsePlaced(text, file) };
  throw new Refusal({
    code: 'usage.invalid',
    message: `There is no file ${file}.`,
    hint: 'Name the YAML file of a feature. To see its keys: supervisor schema feature-file',
    details: { file },
  });
}
