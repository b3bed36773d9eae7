/** The components of a feature as a graph. It comes as a file of its own, once it is needed. */
import { Handle, Position, ReactFlow, Controls } from '@xyflow/react';
import type { Edge, Node, NodeProps, ReactFlowInstance } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import type { FeatureView } from '../../../src/protocol/views/feature-view.ts';
import { visible } from '../parts/words.ts';
import type { FeatureComponent } from './component-look.ts';
import { componentsOf, fullName, lookOf } from './component-look.ts';
import { NODE_SIZE, layOut } from './lay-out.ts';

type BoxNode = Node<{
  readonly component: FeatureComponent;
  readonly isHeld: boolean;
  readonly isSelected: boolean;
}>;

const TYPES = { box: Box };
const FIT = { padding: 0.06, maxZoom: 1 };

type GraphProps = {
  readonly view: FeatureView;
  readonly selected: string | null;
  readonly onSelect: (id: string) => void;
};

export function Graph({ view, selected, onSelect }: GraphProps): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const [flow, setFlow] = useState<ReactFlowInstance<BoxNode> | null>(null);
  useEffect(() => {
    if (flow === null || frame.current === null) return;
    const resize = new ResizeObserver(() => void flow.fitView(FIT));
    resize.observe(frame.current);
    return () => resize.disconnect();
  }, [flow]);
  const components = componentsOf(view);
  const shape = components.map(({ id, waitsFor }) => `${id}:${waitsFor.join()}`).join(' ');
  // The places depend on what waits for what, and that never changes while a feature is built.
  const { nodes: places, edges: lines } = useMemo(() => layOut(components), [shape]);
  const nodes = places.flatMap(({ id, x, y }): BoxNode[] => {
    const component = components.find((one) => one.id === id);
    if (component === undefined) return [];
    const isHeld = view.held.all || view.held.components.includes(id);
    const data = { component, isHeld, isSelected: id === selected };
    return [{ id, type: 'box', position: { x, y }, data, ...NODE_SIZE }];
  });
  const complete = new Set(
    components.filter(({ state }) => state === 'complete').map(({ id }) => id),
  );
  const edges = lines.map(({ from, to }): Edge => ({
    id: `${from} ${to}`,
    source: from,
    target: to,
    className: complete.has(from) ? 'met' : 'open',
  }));
  return (
    <div
      ref={frame}
      className="graph"
      role="group"
      aria-label="The plan as a graph. The table has the same."
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={TYPES}
        fitView
        fitViewOptions={FIT}
        onInit={setFlow}
        minZoom={0.2}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        zoomOnScroll={false}
        preventScrolling={false}
        proOptions={{ hideAttribution: true }}
        onNodeClick={(_, { id }) => onSelect(id)}
      >
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

function Box({ data: { component, isHeld, isSelected } }: NodeProps<BoxNode>): ReactNode {
  const [sign, look, word] = lookOf(component, isHeld);
  return (
    <div className={`box ${component.state} ${isSelected ? 'selected' : ''}`}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <span className={`state ${look}`} aria-hidden="true">
        {sign}
      </span>
      <b>{visible(fullName(component))}</b>
      {isHeld && component.state !== 'complete' ? <span className="held">held</span> : null}
      <span className="note">{visible(component.why === '' ? word : component.why)}</span>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}
