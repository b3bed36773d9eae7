import type { FileTexts } from './trusted-project.ts';

/** Reads each file and lists each folder once, so that everything made from them is about the same moment. */
export function readOnce({ read, list }: FileTexts): FileTexts {
  const texts = new Map<string, ReturnType<FileTexts['read']>>();
  const names = new Map<string, ReturnType<FileTexts['list']>>();
  return {
    read: (path, bytesMax) => remembered(texts, `${bytesMax} ${path}`, () => read(path, bytesMax)),
    list: (folder) => remembered(names, folder, () => list(folder)),
  };
}

function remembered<Value>(values: Map<string, Value>, key: string, find: () => Value): Value {
  const known = values.get(key);
  if (known !== undefined) return known;
  const found = find();
  values.set(key, found);
  return found;
}
