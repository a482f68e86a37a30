// Materials: solids with a quiet pattern that shows turning, surfaces coloured by a field, edges, fat lines, grids, arrows.
import {
  Color, CustomBlending, type DataTexture, DoubleSide, GreaterDepth, OneFactor, ZeroFactor, LessEqualDepth, MeshLambertMaterial, ShaderMaterial, Vector2, Vector3, Vector4,
} from 'three';
import { STATUS_COLOURS } from './palette';
import { FETCH } from './texture';

/** Which instance and which vertex this is: of a list of copies, or of real instances. */
const WHICH = (vertices: number, list: boolean): string =>
  list ? `int instance = gl_VertexID / ${vertices}; int vertex = gl_VertexID - instance * ${vertices};` : 'int instance = gl_InstanceID; int vertex = gl_VertexID;';
const PLACED = `${FETCH}
  uniform highp sampler2D rows; uniform highp sampler2D shape;
  vec3 placed(int instance, int vertex, out vec3 tint) {
    vec4 a = fetchRow(rows, 4 * instance), b = fetchRow(rows, 4 * instance + 1), c = fetchRow(rows, 4 * instance + 2), d = fetchRow(rows, 4 * instance + 3);
    vec3 p = fetchRow(shape, vertex).xyz;
    tint = vec3(a.w, b.w, c.w);
    return a.xyz * p.x + b.xyz * p.y + c.xyz * p.z + d.xyz;
  }`;

/** Lambert for copies of a mesh, placed and coloured by a texture; flat, so that it needs no normals. */
export function placedMaterial(rows: DataTexture, shape: DataTexture, vertices: number, list: boolean): MeshLambertMaterial {
  const material = new MeshLambertMaterial({ flatShading: true, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1, side: DoubleSide });
  material.customProgramCacheKey = () => `placed ${vertices} ${list}`;
  material.onBeforeCompile = (shader) => {
    shader.uniforms.rows = { value: rows };
    shader.uniforms.shape = { value: shape };
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\n${PLACED}\nvarying vec3 vTint;`)
      .replace('#include <begin_vertex>', `${WHICH(vertices, list)}\nvec3 transformed = placed(instance, vertex, vTint);`);
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nvarying vec3 vTint;')
      .replace('#include <color_fragment>', 'diffuseColor.rgb = vTint;');
  };
  return material;
}

export function placedEdgeMaterial(rows: DataTexture, shape: DataTexture, vertices: number, list: boolean): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    uniforms: { colour: { value: new Color(0) }, opacity: { value: 0.5 }, rows: { value: rows }, shape: { value: shape } },
    vertexShader: `${PLACED}
      void main() { ${WHICH(vertices, list)} vec3 tint; gl_Position = projectionMatrix * viewMatrix * vec4(placed(instance, vertex, tint), 1.0); }`,
    fragmentShader: `uniform vec3 colour; uniform float opacity;
      void main() { gl_FragColor = vec4(colour, opacity);\n#include <colorspace_fragment>\n}`,
  });
}

/**
 * Balls and ellipsoids: a square that covers the ball, in which each pixel is intersected with it exactly (M maps the unit ball to it).
 * Octants have two shades, which make rolling visible. Lighting as in three's Lambert material.
 */
export function sphereMaterial(rows: DataTexture): ShaderMaterial {
  return new ShaderMaterial({
    side: DoubleSide,
    alphaToCoverage: true,
    // the alpha that says how much of a pixel is covered must not reach the page behind the canvas
    blending: CustomBlending, blendSrc: OneFactor, blendDst: ZeroFactor, blendSrcAlpha: ZeroFactor, blendDstAlpha: OneFactor,
    uniforms: {
      rows: { value: rows }, opacity: { value: 1 }, lightWay: { value: new Vector3(0, 0, 1) }, upWay: { value: new Vector3(0, 1, 0) },
      light: { value: 2 }, sky: { value: 1.5 }, ground: { value: new Color(0x8a8f98) },
    },
    vertexShader: `${FETCH}
      uniform highp sampler2D rows;
      varying vec3 vTint; varying vec3 vAt; varying vec3 vCentre; varying vec3 vA; varying vec3 vB; varying vec3 vC;
      void main() {
        int instance = gl_VertexID / 4; int corner = gl_VertexID - 4 * instance;
        vec4 a = fetchRow(rows, 4 * instance), b = fetchRow(rows, 4 * instance + 1), c = fetchRow(rows, 4 * instance + 2), d = fetchRow(rows, 4 * instance + 3);
        vTint = vec3(a.w, b.w, c.w);
        mat3 M = mat3(viewMatrix) * mat3(a.xyz, b.xyz, c.xyz);
        mat3 inverseM = inverse(M);
        vA = inverseM[0]; vB = inverseM[1]; vC = inverseM[2];
        vCentre = (viewMatrix * vec4(d.xyz, 1.0)).xyz;
        // no farther than the root of the sum of squares; for balls all columns are as long
        float x = dot(M[0], M[0]), y = dot(M[1], M[1]), z = dot(M[2], M[2]);
        bool ball = abs(dot(M[0], M[1])) + abs(dot(M[1], M[2])) + abs(dot(M[2], M[0])) < 1e-4 * (x + y + z);
        float reach = sqrt(ball ? max(x, max(y, z)) : x + y + z);
        vec3 way = isOrthographic ? vec3(0.0, 0.0, -1.0) : normalize(vCentre);
        float far = length(vCentre);
        float half_ = isOrthographic ? reach : reach * far / sqrt(max(far * far - reach * reach, 0.01 * reach * reach));
        half_ *= 1.04;
        vec3 right = normalize(cross(way, abs(way.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0)));
        vec3 above = cross(right, way);
        vec2 s = vec2(corner == 1 || corner == 2 ? 1.0 : -1.0, corner >= 2 ? 1.0 : -1.0);
        vAt = vCentre + half_ * (s.x * right + s.y * above);
        gl_Position = projectionMatrix * vec4(vAt, 1.0);
      }`,
    fragmentShader: `
      uniform mat4 projectionMatrix; uniform float opacity; uniform vec3 lightWay; uniform vec3 upWay; uniform float light; uniform float sky; uniform vec3 ground;
      varying vec3 vTint; varying vec3 vAt; varying vec3 vCentre; varying vec3 vA; varying vec3 vB; varying vec3 vC;
      void main() {
        mat3 inverseM = mat3(vA, vB, vC);
        vec3 way = isOrthographic ? vec3(0.0, 0.0, -1.0) : normalize(vAt);
        vec3 o = inverseM * (vAt - vCentre), d = inverseM * way;
        float a = dot(d, d), b = dot(o, d);
        float miss = sqrt(max(dot(o, o) - b * b / a, 0.0)); // least distance of the ray from the centre, 1 on the rim
        float cover = clamp((1.0 - miss) / max(fwidth(miss), 1e-6) + 0.5, 0.0, 1.0);
        if (cover <= 0.0) discard;
        float t = -b / a - sqrt(max(1.0 - miss * miss, 0.0) / a);
        vec3 p = o + t * d;
        vec3 hit = vAt + t * way;
        vec4 clip = projectionMatrix * vec4(hit, 1.0);
        gl_FragDepth = clamp(clip.z / clip.w * 0.5 + 0.5, 0.0, 1.0);
        vec3 normal = normalize(p * inverseM);
        vec3 side = clamp(p / max(fwidth(p), vec3(1e-6)), -1.0, 1.0);
        vec3 tint = vTint * (0.92 + 0.08 * side.x * side.y * side.z);
        vec3 lit = vec3(light * max(dot(normal, lightWay), 0.0)) + sky * mix(ground, vec3(1.0), 0.5 * dot(normal, upWay) + 0.5);
        gl_FragColor = vec4(tint * lit * 0.31830988618, cover * opacity);
        #include <colorspace_fragment>
      }`,
  });
}

export interface FieldUniforms {
  map: { value: DataTexture };
  range: { value: Vector2 };
  use: { value: number };
}

/** Lambert whose colour comes from the attribute `value` through a colour map while `use` is 1. */
export function fieldMaterial(uniforms: FieldUniforms, colour: number): MeshLambertMaterial {
  const material = new MeshLambertMaterial({ color: colour, flatShading: true, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
  material.onBeforeCompile = (shader) => {
    shader.uniforms.fieldMap = uniforms.map;
    shader.uniforms.fieldRange = uniforms.range;
    shader.uniforms.fieldUse = uniforms.use;
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nattribute float value;\nvarying float vValue;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nvValue = value;');
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nuniform sampler2D fieldMap;\nuniform vec2 fieldRange;\nuniform float fieldUse;\nvarying float vValue;')
      .replace('#include <color_fragment>', `#include <color_fragment>
        float share = clamp((vValue - fieldRange.x) / max(fieldRange.y - fieldRange.x, 1e-30), 0.0, 1.0);
        diffuseColor.rgb = mix(diffuseColor.rgb, texture2D(fieldMap, vec2(share * 0.99609375 + 0.001953125, 0.5)).rgb, fieldUse);`);
  };
  return material;
}

/** Thin lines. */
export function edgeMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    uniforms: { colour: { value: new Color(0) }, opacity: { value: 0.5 } },
    vertexShader: 'void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
    fragmentShader: `uniform vec3 colour; uniform float opacity;
      void main() { gl_FragColor = vec4(colour, opacity);\n#include <colorspace_fragment>\n}`,
  });
}

/**
 * Lines some pixels wide: four vertices a segment, drawn as a strip that faces the viewer. `points`: rows of
 * a line; with `field` two rows a bar, whose fourth number is coloured.
 */
export function lineMaterial(points: DataTexture, width: number, field?: FieldUniforms): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    side: DoubleSide,
    uniforms: { ...(field ? { fieldMap: field.map, fieldRange: field.range, fieldUse: field.use } : {}), points: { value: points }, colour: { value: new Color(0) }, opacity: { value: 1 }, width: { value: width }, screen: { value: new Vector2(1, 1) } },
    vertexShader: `${FETCH}
      uniform highp sampler2D points; uniform float width; uniform vec2 screen;
      varying float vValue;
      void main() {
        int segment = gl_VertexID / 4; int corner = gl_VertexID - 4 * segment;
        segment *= ${field ? 2 : 1};
        vValue = fetchRow(points, corner == 1 || corner == 2 ? segment + 1 : segment).w;
        vec2 s = vec2(corner == 1 || corner == 2 ? 1.0 : 0.0, corner >= 2 ? 1.0 : -1.0);
        vec4 a = projectionMatrix * viewMatrix * vec4(fetchRow(points, segment).xyz, 1.0);
        vec4 b = projectionMatrix * viewMatrix * vec4(fetchRow(points, segment + 1).xyz, 1.0);
        // a strip must not turn over behind the eye
        float least = 1e-4;
        if (a.w < least && b.w > least) a = mix(b, a, (b.w - least) / (b.w - a.w));
        if (b.w < least && a.w > least) b = mix(a, b, (a.w - least) / (a.w - b.w));
        vec2 along = (b.xy / b.w - a.xy / a.w) * screen;
        float length2 = dot(along, along);
        along = length2 > 1e-12 ? along * inversesqrt(length2) : vec2(1.0, 0.0);
        vec4 clip = s.x < 0.5 ? a : b;
        vec2 offset = vec2(-along.y, along.x) * s.y + along * (s.x - 0.5);
        clip.xy += offset * width / screen * clip.w;
        gl_Position = clip;
      }`,
    fragmentShader: `uniform vec3 colour; uniform float opacity;
      ${field ? 'uniform sampler2D fieldMap; uniform vec2 fieldRange; uniform float fieldUse; varying float vValue;' : ''}
      void main() {
        vec3 shown = colour;
        ${field ? 'shown = mix(colour, texture2D(fieldMap, vec2(clamp((vValue - fieldRange.x) / max(fieldRange.y - fieldRange.x, 1e-30), 0.002, 0.998), 0.5)).rgb, fieldUse);' : ''}
        gl_FragColor = vec4(shown, opacity);\n#include <colorspace_fragment>\n}`,
  });
}

/**
 * A plane with a grid: a disc that fades out, or (`edge` 0) a patch; the spacing is a length the legend can name. Seen from its
 * solid side it is nearly nothing, so that a wall before the scene does not hide it.
 */
export function gridMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
    uniforms: {
      line: { value: new Color(0) }, fill: { value: new Color(0) }, spacing: { value: 1 }, radius: { value: 1 }, edge: { value: 1 },
      offset: { value: new Vector2() }, strength: { value: 1 },
    },
    vertexShader: `varying vec2 vAt; uniform vec2 offset; uniform float radius;
      void main() { vAt = position.xy * radius; gl_Position = projectionMatrix * modelViewMatrix * vec4(vAt + offset, 0.0, 1.0); }`,
    fragmentShader: `varying vec2 vAt; uniform vec3 line; uniform vec3 fill; uniform float spacing; uniform float radius; uniform float edge; uniform vec2 offset; uniform float strength;
      float lines(vec2 p) {
        vec2 w = max(fwidth(p), vec2(1e-6));
        vec2 d = abs(fract(p - 0.5) - 0.5) / w;
        float near = 1.0 - min(min(d.x, d.y), 1.0);
        return near * clamp(0.6 / max(w.x, w.y), 0.0, 1.0);
      }
      void main() {
        vec2 p = (vAt + offset) / spacing;
        float fade = 1.0 - edge * smoothstep(0.55, 1.0, length(vAt) / radius);
        float g = max(lines(p) * 0.45, lines(p / 5.0) * 0.8) * strength;
        float side = gl_FrontFacing ? 1.0 : mix(0.06, 0.3, edge);
        gl_FragColor = vec4(mix(fill, line, g), side * fade * (0.30 + 0.5 * g));
        #include <colorspace_fragment>
      }`,
  });
}

const statusColours = (): Color[] => STATUS_COLOURS.map((hex) => new Color(hex));

/** Arrows wholly made in the shader: two rows a contact (place and status, force); six rings of `sides` + 1 vertices. */
export function arrowMaterial(ghost: boolean): ShaderMaterial {
  return new ShaderMaterial({
    transparent: ghost,
    depthWrite: !ghost,
    depthFunc: ghost ? GreaterDepth : LessEqualDepth, // the ghost is what is hidden
    uniforms: {
      colours: { value: statusColours() }, opacity: { value: ghost ? 0.28 : 1 }, visible: { value: new Vector4(1, 1, 1, 1) },
      size: { value: 1 }, unit: { value: 1 }, root: { value: 0 }, width: { value: 0.01 }, rows: { value: null }, sides: { value: 7 },
    },
    vertexShader: `${FETCH}
      uniform highp sampler2D rows; uniform int sides; uniform float size; uniform float unit; uniform float root; uniform float width; uniform vec4 visible; uniform vec3 colours[4];
      varying vec3 vColour; varying vec3 vNormal;
      // rings: foot and neck of the shaft, underside of the head from inside, rim, rim again, tip
      const float radius[6] = float[6](1.0, 1.0, 0.0, 2.6, 2.6, 0.0);
      const float part[6] = float[6](0.0, 1.0, 1.0, 1.0, 1.0, 2.0);
      const vec2 normals[6] = vec2[6](vec2(1.0, 0.0), vec2(1.0, 0.0), vec2(0.0, -1.0), vec2(0.0, -1.0), vec2(0.93, 0.37), vec2(0.93, 0.37));
      void main() {
        int instance = gl_VertexID / (6 * (sides + 1)); int vertex = gl_VertexID - instance * 6 * (sides + 1);
        int ring = vertex / (sides + 1);
        float angle = 6.28318530718 * float(vertex - ring * (sides + 1)) / float(sides);
        vec4 row = fetchRow(rows, 2 * instance);
        vec3 place = row.xyz;
        vec3 force = fetchRow(rows, 2 * instance + 1).xyz;
        vec2 around = vec2(cos(angle), sin(angle));
        vec3 position = vec3(radius[ring] * around, part[ring]);
        vec3 normal = vec3(normals[ring].x * around, normals[ring].y);
        int s = int(row.w + 0.5);
        vColour = colours[s];
        float f = length(force);
        if (f <= 0.0 || visible[s] < 0.5) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); vNormal = vec3(0.0, 0.0, 1.0); return; }
        float share = f / unit;
        float tall = size * mix(share, sqrt(share), root);
        float wide = min(width, 0.10 * tall);
        float head = min(0.5 * tall, 6.5 * wide);
        float z = position.z < 0.5 ? 0.0 : position.z < 1.5 ? tall - head : tall;
        vec3 d = force / f;
        vec3 t = normalize(abs(d.z) < 0.9 ? cross(d, vec3(0.0, 0.0, 1.0)) : cross(d, vec3(1.0, 0.0, 0.0)));
        vec3 b = cross(d, t);
        vNormal = normalize(mat3(viewMatrix) * (t * normal.x + b * normal.y + d * normal.z));
        gl_Position = projectionMatrix * viewMatrix * vec4(place + d * z + (t * position.x + b * position.y) * wide, 1.0);
      }`,
    fragmentShader: `uniform float opacity; varying vec3 vColour; varying vec3 vNormal;
      void main() {
        float light = 0.72 + 0.28 * clamp(normalize(vNormal).z * 0.8 + normalize(vNormal).y * 0.4, -0.4, 1.0);
        gl_FragColor = vec4(vColour * light, opacity);
        #include <colorspace_fragment>
      }`,
  });
}

/** Contact points: discs of a few pixels with a rim, in front of everything. */
export function pointMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    depthTest: false,
    depthWrite: false,
    uniforms: { rows: { value: null }, colours: { value: statusColours() }, pixels: { value: 7 }, visible: { value: new Vector4(1, 1, 1, 1) }, rim: { value: new Color(0xffffff) } },
    vertexShader: `${FETCH}
      uniform highp sampler2D rows; uniform float pixels; uniform vec4 visible; uniform vec3 colours[4]; varying vec3 vColour;
      void main() {
        vec4 row = fetchRow(rows, 2 * gl_VertexID);
        int s = int(row.w + 0.5);
        vColour = colours[s];
        gl_Position = visible[s] < 0.5 ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * viewMatrix * vec4(row.xyz, 1.0);
        gl_PointSize = pixels;
      }`,
    fragmentShader: `varying vec3 vColour; uniform vec3 rim;
      void main() {
        float r = length(gl_PointCoord - 0.5) * 2.0;
        if (r > 1.0) discard;
        gl_FragColor = vec4(r > 0.68 ? rim : vColour, 1.0);
        #include <colorspace_fragment>
      }`,
  });
}
