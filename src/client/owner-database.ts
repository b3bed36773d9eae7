/** The database of an owner, as a command names it and as the home has it. The store's modules are loaded late. */
import type { Home } from '../host/machine/state-home.ts';

type NamedDatabase = { readonly named: string; readonly text: string };

/** Refuses an address that no owner can use, before an owner is started with it. */
export async function namedDatabase(url: string): Promise<NamedDatabase> {
  const store = await import('../store/postgres/home-database.ts');
  return store.namedDatabase(url);
}

/** Whether the home has its journal in that database. */
export async function isJournalIn(home: Home, { named }: NamedDatabase): Promise<boolean> {
  const store = await import('../store/postgres/home-database.ts');
  return (await store.findDatabase(home))?.address.named === named;
}
