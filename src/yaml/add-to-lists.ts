/** Adds values to lists of a YAML text. Comments and blank lines stay. A list that is missing is added. */
import { isSeq, parseDocument } from 'yaml';
import type { YamlPath } from './yaml-tree.ts';

export type ListAddition = { readonly path: YamlPath; readonly value: string };

/** The text is valid YAML. */
export function addToLists(text: string, additions: readonly ListAddition[]): string {
  const document = parseDocument(text);
  for (const { path, value } of additions) {
    const found = document.getIn(path);
    if (isSeq(found)) {
      if (!found.toJSON().includes(value)) document.addIn(path, value);
    } else document.setIn(path, document.createNode([value], { flow: true }));
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
