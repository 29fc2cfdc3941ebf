/** A place in the grid of the drawing. */
export interface Place {
  readonly column: number;
  readonly row: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** How an arrow is drawn: its path, and where its label stands. */
export interface Route {
  readonly path: string;
  readonly label: Point;
  readonly anchor: 'start' | 'middle' | 'end';
}

interface Ends {
  readonly from: Place;
  readonly to: Place;
  readonly centreOf: (place: Place) => Point;
  readonly node: { readonly width: number; readonly height: number };
  /** No status stands beside the first one, above the second. */
  readonly isFreeBeside: boolean;
  /** How much further than its first line the label reaches. */
  readonly textHeight: number;
}

/** Between two arrows that lead from one status to another and back. */
const APART = 11;
/** How far an arrow bulges beyond the column that it passes, for each row. */
const BULGE = 60;
const LOOP = 34;
/** Between an arrow and the middle of the text above it, or the beginning of the text beside it. */
const GAP = 8;

/**
 * The way of an arrow: straight to the next row or to another column, outside of the column where it leads
 * up, past a row, or back to where it began, and round a corner to another row of another column. Two that
 * lead to and fro between columns keep apart.
 */
export function routeOf(ends: Ends, isBothWays: boolean): Route {
  const { from, to } = ends;
  const rows = to.row - from.row;
  if (from.column === to.column && rows === 0) return loop(ends);
  if (from.column === to.column && rows !== 1) return outside(ends);
  if (from.column === to.column) return down(ends);
  return rows === 0 ? across(ends, isBothWays) : roundCorner(ends);
}

/** The side of a column that no other column is on: -1 is left. */
const outer = ({ column }: Place) => (column === 0 ? -1 : 1);

function loop({ from, centreOf, node }: Ends): Route {
  const side = outer(from);
  const { x, y } = centreOf(from);
  const edge = x + (side * node.width) / 2;
  const far = edge + side * LOOP;
  // Away from the arrows outside, which end at the other corner.
  const [above, below] = [y + side * 6 - 9, y + side * 6 + 9];
  return {
    path: `M${edge} ${above}C${far} ${above - 14} ${far} ${below + 14} ${edge} ${below}`,
    label: { x: far, y: y + side * 6 + 4 },
    anchor: side < 0 ? 'end' : 'start',
  };
}

function outside({ from, to, centreOf, node }: Ends): Route {
  const side = outer(from);
  const [start, end] = [centreOf(from), centreOf(to)];
  const edge = start.x + (side * node.width) / 2;
  const far = edge + side * BULGE * Math.abs(to.row - from.row);
  const middle = (start.y + end.y) / 2;
  const down = Math.sign(end.y - start.y) * (node.height / 2 - 6);
  return {
    path: `M${edge} ${start.y + down}C${far} ${start.y + 2 * down} ${far} ${end.y - 2 * down} ${edge} ${end.y - down}`,
    label: { x: edge + side * (BULGE * 0.75 * Math.abs(to.row - from.row) + GAP), y: middle + 4 },
    anchor: side < 0 ? 'end' : 'start',
  };
}

function down({ from, to, centreOf, node }: Ends): Route {
  const side = outer(from);
  const [start, end] = [centreOf(from), centreOf(to)];
  return {
    path: `M${start.x} ${start.y + node.height / 2}V${end.y - node.height / 2}`,
    // On the inner side, and below what leads round a corner.
    label: { x: start.x - side * GAP, y: end.y - node.height / 2 - 35 },
    anchor: side < 0 ? 'start' : 'end',
  };
}

/** To another row: beside the first status where nothing stands there, else below what stands there. */
function roundCorner({ from, to, centreOf, node, isFreeBeside, textHeight }: Ends): Route {
  const [start, end] = [centreOf(from), centreOf(to)];
  const side = Math.sign(end.x - start.x);
  const top = end.y - node.height / 2;
  if (isFreeBeside) {
    const x = start.x + (side * node.width) / 2;
    return {
      path: `M${x} ${start.y}H${end.x}V${top}`,
      label: { x: (x + end.x - (side * node.width) / 2) / 2, y: start.y - GAP - textHeight / 2 },
      anchor: 'middle',
    };
  }
  const x = start.x + (side * node.width) / 3;
  const bottom = start.y + node.height / 2;
  const y = bottom + (top - bottom) * 0.45;
  return {
    path: `M${x} ${bottom}V${y}H${end.x}V${top}`,
    label: { x: (start.x + end.x) / 2, y: y - GAP - textHeight / 2 },
    anchor: 'middle',
  };
}

function across({ from, to, centreOf, node, textHeight }: Ends, isBothWays: boolean): Route {
  const [start, end] = [centreOf(from), centreOf(to)];
  const side = Math.sign(end.x - start.x);
  const shift = isBothWays ? -side * APART : 0;
  const [x1, x2] = [start.x + (side * node.width) / 2, end.x - (side * node.width) / 2];
  const y = start.y + shift;
  // Above its line, or below the lower one of two.
  const beside = shift > 0 ? GAP + 10 + textHeight / 2 : -GAP - textHeight / 2;
  return {
    path: `M${x1} ${y}H${x2}`,
    label: { x: (x1 + x2) / 2, y: y + beside },
    anchor: 'middle',
  };
}
