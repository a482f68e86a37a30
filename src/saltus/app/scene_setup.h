// Forwards to study/scene_setup.h, which sets up scenes.
#pragma once
#include "saltus/study/scene_setup.h"
