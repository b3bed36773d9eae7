/** Reads a capsule, and compares what it shows with what it contains. */
import { parseJson } from '../base/json.ts';
import { CapsuleData, checkCapsule } from './capsule.ts';
import type { FactText } from './render-capsule.ts';
import { DATA_BEGIN, DATA_END, renderCapsule } from './render-capsule.ts';

export type CapsuleCheck =
  | { readonly kind: 'no-capsule' }
  | {
      readonly kind: 'capsule';
      readonly data: CapsuleData;
      /** What does not fit together. Empty: nothing was changed since it was made. */
      readonly problems: readonly string[];
      /** Another version wrote it, so its text may differ and was not compared. */
      readonly isOtherVersion: boolean;
    };

export function readCapsule(html: string, version: string, factText: FactText): CapsuleCheck {
  const begin = html.lastIndexOf(DATA_BEGIN);
  const end = html.indexOf(DATA_END, begin + DATA_BEGIN.length);
  if (begin === -1 || end === -1) return { kind: 'no-capsule' };
  const value = parseJson(html.slice(begin + DATA_BEGIN.length, end));
  if (!CapsuleData.safeParse(value).success) return { kind: 'no-capsule' };
  // As it stands in the file: a schema returns its own order of the fields.
  const data = value as CapsuleData;
  const problems = checkCapsule(data);
  const isOtherVersion = data.content.version !== version;
  const isSame = isOtherVersion || renderCapsule(data, factText) === html;
  const shown = isSame ? [] : ['The page does not show what its facts say: its text was changed.'];
  return { kind: 'capsule', data, problems: [...problems, ...shown], isOtherVersion };
}
