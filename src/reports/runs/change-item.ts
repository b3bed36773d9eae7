/** The list with one entry changed, or the same list if none has the key. The search starts at the end: new entries end first. */
export function changeItem<Item extends { readonly key: string }>(
  items: readonly Item[],
  key: string,
  change: (item: Item) => Item,
): readonly Item[] {
  const index = items.findLastIndex((one) => one.key === key);
  const item = items[index];
  if (item === undefined) return items;
  const next = change(item);
  return next === item ? items : items.with(index, next); // most notes change nothing
}
