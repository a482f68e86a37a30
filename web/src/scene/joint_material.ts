// Marks of joints: segments with round ends, some pixels wide, placed by the frames of their joints. What lies behind bodies
// shines through; a halo in the colour of the background sets marks off. Hence two passes for what is hidden, two for the rest.
import { Color, type DataTexture, DoubleSide, GreaterDepth, LessEqualDepth, ShaderMaterial, Vector2 } from 'three';
import { FETCH } from './texture';

/** `through`: one pass for all, where there are very many. */
export type Pass = 'ghost halo' | 'ghost' | 'halo' | 'mark' | 'through';
const OPACITY = { 'ghost halo': 0.3, ghost: 0.5, halo: 0.8, mark: 1, through: 0.85 };

/** `frames`: four rows a frame (x, y, z, place; in their fourth numbers size and state); `segments`: two rows each. */
export function jointMaterial(frames: DataTexture, segments: DataTexture, pass: Pass): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    depthTest: pass !== 'through',
    depthFunc: pass.startsWith('ghost') ? GreaterDepth : LessEqualDepth,
    side: DoubleSide,
    uniforms: {
      frames: { value: frames }, segments: { value: segments }, colours: { value: [0, 0, 0, 0, 0].map(() => new Color()) },
      chosen: { value: new Color() }, back: { value: new Color() }, screen: { value: new Vector2(1, 1) },
      opacity: { value: OPACITY[pass] }, halo: { value: pass.endsWith('halo') ? 1.5 : 0 }, round: { value: pass.startsWith('ghost') || pass === 'through' ? 0 : 1 },
    },
    vertexShader: `${FETCH}
      uniform highp sampler2D frames; uniform highp sampler2D segments; uniform vec2 screen; uniform vec3 colours[5]; uniform vec3 chosen; uniform vec3 back; uniform float halo;
      varying vec2 vAt; varying vec2 vEnds; varying float vRadius; varying vec3 vColour;
      void main() {
        int segment = gl_VertexID / 4; int corner = gl_VertexID - 4 * segment;
        vec4 from = fetchRow(segments, 2 * segment), to = fetchRow(segments, 2 * segment + 1);
        int row = 4 * int(from.w + 0.5);
        vec4 o = fetchRow(frames, row + 3);
        float state = o.w;
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        vAt = vec2(0.0); vEnds = vec2(0.0); vRadius = 1.0; vColour = chosen;
        if (state < 0.5) return;
        int kind = int(floor(to.w / 16.0));
        float width = (to.w - 16.0 * float(kind));
        vec4 x = fetchRow(frames, row);
        mat3 axes = mat3(x.xyz, fetchRow(frames, row + 1).xyz, fetchRow(frames, row + 2).xyz);
        mat4 seen = projectionMatrix * viewMatrix;
        vec4 a = seen * vec4(axes * from.xyz + o.xyz, 1.0), b = seen * vec4(axes * to.xyz + o.xyz, 1.0);
        float least = 1e-4;
        if (a.w < least && b.w < least) return;
        if (a.w < least) a = mix(b, a, (b.w - least) / (b.w - a.w));
        if (b.w < least) b = mix(a, b, (a.w - least) / (a.w - b.w));
        vec2 pa = 0.5 * screen * a.xy / a.w, pb = 0.5 * screen * b.xy / b.w;
        // far away a mark is thinner than it would be near, so that many remain marks
        float pixels = 0.5 * screen.y * projectionMatrix[1][1] * x.w / min(a.w, b.w);
        bool picked = state > 1.5;
        vRadius = 0.5 * clamp(0.2 * pixels * width / 2.4, 0.35 * width, width) + (picked ? 0.7 : 0.0) + halo * clamp(0.12 * pixels, 0.4, 1.0);
        if (halo > 0.0) vColour = picked ? vec3(0.0) : back; // the chosen one has a dark rim in both themes
        else if (!picked) vColour = colours[kind];
        vec2 along = pb - pa;
        float far = length(along);
        along = far > 1e-6 ? along / far : vec2(1.0, 0.0);
        vec2 s = vec2(corner == 1 || corner == 2 ? 1.0 : 0.0, corner >= 2 ? 1.0 : -1.0);
        float reach = vRadius + 1.0;
        vEnds = vec2(far, far > 1e-6 ? 0.0 : 1.0);
        vAt = vec2(s.x > 0.5 ? far + reach : -reach, s.y * reach);
        vec2 at = pa + along * vAt.x + vec2(-along.y, along.x) * vAt.y;
        float z = s.x > 0.5 ? b.z / b.w : a.z / a.w;
        gl_Position = vec4(at / (0.5 * screen), z - 2e-5, 1.0); // w = 1: pixels are interpolated as pixels
      }`,
    fragmentShader: `uniform float opacity; uniform float round;
      varying vec2 vAt; varying vec2 vEnds; varying float vRadius; varying vec3 vColour;
      void main() {
        float off = vAt.x - clamp(vAt.x, 0.0, vEnds.x);
        // overlapping round ends would be seen where marks are translucent
        if (round < 0.5 && vEnds.y < 0.5 && abs(off) > 0.0) discard;
        float cover = clamp(vRadius + 0.5 - length(vec2(off, vAt.y)), 0.0, 1.0);
        if (cover <= 0.0) discard;
        gl_FragColor = vec4(vColour, cover * opacity);
        #include <colorspace_fragment>
      }`,
  });
}
