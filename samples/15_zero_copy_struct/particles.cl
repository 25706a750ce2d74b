// SPDX-License-Identifier: Apache-2.0
// The same as struct Particle in particle.hpp. The widest members are first, so that no compiler adds padding
// between them.
typedef struct {
    ulong id;
    float position[3];
    float velocity[3];
    int charge;
    ushort steps;
    uchar kind;
    uchar alive;
} Particle;

__kernel void layout(__global const Particle* p, __global uint* out) {
    const __global char* start = (const __global char*)p;
    out[0] = (uint)sizeof(Particle);
    out[1] = (uint)((const __global char*)&p->id - start);
    out[2] = (uint)((const __global char*)&p->position - start);
    out[3] = (uint)((const __global char*)&p->velocity - start);
    out[4] = (uint)((const __global char*)&p->charge - start);
    out[5] = (uint)((const __global char*)&p->steps - start);
    out[6] = (uint)((const __global char*)&p->kind - start);
    out[7] = (uint)((const __global char*)&p->alive - start);
}

__kernel void advance(__global Particle* particles, uint n) {
    const uint i = get_global_id(0);
    if (i < n && particles[i].alive != 0) {
        for (int d = 0; d < 3; ++d) {
            particles[i].position[d] += particles[i].velocity[d];
        }
        particles[i].steps += 1;
    }
}
