/** The frame of all screens: where you are, whether the owner answers, and what the keys do. */
import { Suspense, lazy, useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { Link, Route, Switch, useLocation, useSearch } from 'wouter';
import type { Link as OwnerLink } from './connection/board.ts';
import { useBoard } from './connection/use-board.ts';
import { CommandHintContext } from './parts/action.tsx';
import { listenForKeys, useKeys } from './parts/keys.ts';
import { Help } from './parts/help.tsx';
import { commandOf } from './parts/command-of.ts';

const Now = lazy(async () => ({ default: (await import('./now/now-screen.tsx')).NowScreen }));
const Run = lazy(async () => ({ default: (await import('./run/run-screen.tsx')).RunScreen }));
const Review = lazy(async () => ({
  default: (await import('./review/review-screen.tsx')).ReviewScreen,
}));

const Tree = lazy(async () => ({ default: (await import('./tree/tree-screen.tsx')).TreeScreen }));
const Quota = lazy(async () => ({
  default: (await import('./quota/quota-screen.tsx')).QuotaScreen,
}));
const Plans = lazy(async () => ({
  default: (await import('./plan/plans-screen.tsx')).PlansScreen,
}));
const Plan = lazy(async () => ({ default: (await import('./plan/plan-screen.tsx')).PlanScreen }));
const Agents = lazy(async () => ({
  default: (await import('./agents/agents-screen.tsx')).AgentsScreen,
}));

const SCREENS = [
  { path: '/', name: 'Now', key: 'g' },
  { path: '/plans', name: 'Plans', key: 'P' },
  { path: '/tree', name: 'Tree', key: 'T' },
  { path: '/quota', name: 'Quota', key: 'Q' },
  { path: '/agents', name: 'Agents', key: 'A' },
] as const;

export function App(): ReactNode {
  const { link, questions } = useBoard();
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const [shown, show] = useState('');
  const [path, navigate] = useLocation();
  const search = useSearch();
  useEffect(listenForKeys, []);
  useEffect(() => show(''), [path, search]);
  const hint = useMemo(() => ({ shown, show }), [shown]);
  useKeys('Everywhere', [
    { key: '?', does: 'show the keys that work here', run: () => setIsHelpOpen(true) },
    ...SCREENS.map(({ path: to, name, key }) => ({
      key,
      does: `go to ${name}`,
      run: () => navigate(to),
    })),
  ]);
  if (link.kind === 'closed') return <NoAccess why={link.why} hint={link.hint} />;
  return (
    <CommandHintContext value={hint}>
      <div className={`frame ${link.kind}`}>
        <a className="skip" href="#main">
          To the content
        </a>
        <header>
          <Link href="/" className="brand">
            Supervisor
          </Link>
          <nav aria-label="Screens">
            {SCREENS.map(({ path: to, name }) => (
              <Link key={to} href={to} aria-current={isAt(path, to) ? 'page' : undefined}>
                {name}
              </Link>
            ))}
          </nav>
          {questions.length === 0 ? null : (
            <Link href="/?q=is:needs-you" className="needs">
              {questions.length} {questions.length === 1 ? 'needs' : 'need'} you
            </Link>
          )}
          <span className="spring" />
          <button type="button" className="quiet" onClick={() => setIsHelpOpen(true)}>
            Keys <kbd>?</kbd>
          </button>
          <OwnerLight link={link} />
        </header>
        {link.kind === 'lost' ? <Lost why={link.why} /> : null}
        <main id="main" tabIndex={-1}>
          <Suspense fallback={<p className="empty">Loading…</p>}>
            <Switch>
              <Route path="/">
                <Now />
              </Route>
              <Route path="/runs/:id/review">{({ id }) => <Review key={id} id={id} />}</Route>
              <Route path="/runs/:id">{({ id }) => <Run key={id} id={id} />}</Route>
              <Route path="/plans">
                <Plans />
              </Route>
              <Route path="/plans/:id">{({ id }) => <Plan key={id} id={id} />}</Route>
              <Route path="/tree">
                <Tree />
              </Route>
              <Route path="/quota">
                <Quota />
              </Route>
              <Route path="/agents">
                <Agents />
              </Route>
              <Route>
                <p className="empty">
                  There is no such page. <Link href="/">Go to Now</Link>
                </p>
              </Route>
            </Switch>
          </Suspense>
        </main>
        <footer>
          <code>
            {shown === ''
              ? `$ ${commandOf(path, search, location.hash)}`
              : shown.startsWith('supervisor')
                ? `$ ${shown}`
                : shown}
          </code>
        </footer>
        {isHelpOpen ? <Help onClose={() => setIsHelpOpen(false)} /> : null}
      </div>
    </CommandHintContext>
  );
}

function isAt(path: string, screen: string): boolean {
  return screen === '/' ? path === '/' || path.startsWith('/runs') : path.startsWith(screen);
}

const LIGHTS: Readonly<Record<OwnerLink['kind'], string>> = {
  connecting: 'connecting',
  live: 'live',
  lost: 'owner lost',
  closed: 'no access',
};

function OwnerLight({ link }: { readonly link: OwnerLink }): ReactNode {
  return (
    <span className={`light ${link.kind}`} role="status">
      {LIGHTS[link.kind]}
    </span>
  );
}

function Lost({ why }: { readonly why: string }): ReactNode {
  return (
    <p className="banner" role="alert">
      The owner does not answer ({why.replace(/\.$/, '')}), so this page is as it was. It continues
      by itself when an owner runs again. To start one: <code>supervisor status</code>
    </p>
  );
}

function NoAccess({
  why,
  hint,
}: {
  readonly why: string;
  readonly hint: string | undefined;
}): ReactNode {
  return (
    <main className="alone">
      <h1>No access</h1>
      <p>{why}</p>
      <p>{hint ?? 'Open it with a new link.'}</p>
      <code className="command">$ supervisor dashboard --open</code>
    </main>
  );
}
