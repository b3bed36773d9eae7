/** Reads the file of a feature that the user names. */
import type { Feature } from '../../protocol/feature.ts';
import { parsePlaced } from '../../plan/parse-feature.ts';
import { TEXT_BYTES_MAX } from '../../yaml/read-yaml.ts';
import { readGivenFile } from './read-given-file.ts';

const HINT = 'Name the YAML file of a feature. To see its keys: supervisor schema feature-file';

export async function readFeatureFile(cwd: string, file: string): Promise<Feature> {
  return (await readFeatureText(cwd, file)).feature;
}

/** The same, with the text for the owner, which reads it again. */
export async function readFeatureText(
  cwd: string,
  file: string,
): Promise<{ readonly text: string } & ReturnType<typeof parsePlaced>> {
  const text = await readGivenFile(cwd, file, { bytesMax: TEXT_BYTES_MAX, hint: HINT });
  return { text, ...parsePlaced(text, file) };
}
