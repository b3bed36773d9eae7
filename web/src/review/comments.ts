/** The comments of a person on lines of a change are kept in this tab until they are sent. */
import type { LineComment } from '../../../src/protocol/words/line-comments.ts';

export function readComments(key: string): readonly LineComment[] {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '[]') as readonly LineComment[];
  } catch {
    return []; // another version of the page wrote something else
  }
}
