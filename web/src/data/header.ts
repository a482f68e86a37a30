// The header as docs/reference/view_data.md has it.
export type ArrayType = 'f32' | 'f64' | 'u8' | 'i16' | 'u16' | 'i32' | 'u32';

export interface ArrayRef {
  type: ArrayType;
  at: number;
  count: number;
}
export interface Track {
  name: string;
  width: number;
  type: 'f32' | 'u16' | 'i16';
  axes: number;
  lo: number[];
  hi: number[];
}
export interface Body {
  name: string;
  kind: string;
  scheme: string;
  members: number;
  names: string[];
  colours?: string[]; // "#rrggbb" or "" a member; absent or empty: none
}
export interface Shape {
  kind: 'sphere' | 'mesh' | 'plane';
  points?: ArrayRef;
  triangles?: ArrayRef;
  edges?: ArrayRef;
}
export interface Field {
  name: string;
  unit: string;
  track: number;
  lo: number;
  hi: number;
}
export interface FemMesh {
  body: number;
  points: ArrayRef;
  triangles: ArrayRef;
  edges: ArrayRef;
  displacement: number;
  fields: Field[];
}
export interface LineBody {
  body: number;
  points: ArrayRef;
  displacement: number;
  exaggerate: number;
}
export interface PlotSeries {
  name: string;
  data: ArrayRef;
  note?: string;
}
export interface Plot {
  title: string;
  unit: string;
  log: boolean;
  time: ArrayRef;
  series: PlotSeries[];
  own?: boolean; // the scene asked for it
}
export interface Sound {
  name: string;
  body: number;
  quantity: string;
  unit: string;
  rate: number;
  start?: number;
  data: ArrayRef;
  peak: number;
  mean?: number;
  note?: string;
}
export interface Control {
  path: string;
  label: string;
  unit: string;
  value: number;
  low: number;
  high: number;
  group?: string; // heading, such as "Set-points"
  immediate?: boolean; // is sent while it is dragged
}
/** Where a joint is on one of its bodies; body -1: the world. Axes are [0, 0, 0] where there is none. */
export interface JointSide {
  body: number;
  member: number;
  place: number[];
  axis: number[];
  axis2: number[];
  point: number; // of a mesh or line, else -1
}
export interface Joint {
  name: string;
  kind: string;
  sides?: [JointSide, JointSide]; // older headers have only name and kind
  spring?: boolean;
  damper?: boolean;
  actuator?: string; // "", motor, servo, force, drive
  stops?: boolean;
  broken?: number | null; // moment from which it is gone
}
export interface Extreme {
  value: number;
  row: number;
}
export interface Header {
  generation?: number;
  format: string;
  version: number;
  title: string;
  file: string;
  live: boolean;
  finished: boolean;
  bodies: Body[];
  frames: { count: number; time: ArrayRef; step: ArrayRef };
  decimated: { every: number; of: number };
  contacts_left_out?: number;
  box: number[];
  gravity: number[] | null;
  tracks: Track[];
  frame_bytes: number;
  contact_bytes: number;
  shapes: Shape[];
  fixed?: { names: string[]; colours: string[] }; // the bodies of the fixed world; instances and contacts give their numbers
  instances: {
    shape: ArrayRef;
    body: ArrayRef;
    member: ArrayRef;
    place: ArrayRef;
    rotation: ArrayRef;
    scale: ArrayRef;
  };
  poses: { body: number; position: number; rotation: number | null }[];
  affine: { body: number; centre: number; deformation: number }[];
  meshes: FemMesh[];
  lines: LineBody[];
  marks: { point: ArrayRef; normal: ArrayRef; body: ArrayRef; of?: number };
  plots: Plot[];
  sounds: Sound[];
  joints: Joint[];
  summary: Record<string, unknown> | null;
  provenance: Record<string, string>;
  cite: string[];
  controls?: Control[];
}

export const CONTACT_BYTES = 52;

/** Throws one line if this is not a header that this viewer reads. */
export function checkHeader(header: Header): Header {
  if (header.format !== 'saltus-view') throw new Error('header: format is not "saltus-view"');
  if (header.version !== 1) throw new Error(`header: version ${header.version}, this viewer reads version 1`);
  if (header.contact_bytes !== CONTACT_BYTES)
    throw new Error(`header: contacts of ${header.contact_bytes} bytes, this viewer reads ${CONTACT_BYTES}`);
  return header;
}
