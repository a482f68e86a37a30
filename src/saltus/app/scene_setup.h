// For rooms that read it here: scenes that can be run are made in study.
#pragma once
#include "saltus/study/scene_setup.h"
